package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult.Status;

/** Every law that a store breaks is noticed by the test that bears its name, and by that of a sound store it is not. */
class KitsCanFailTest {

    static Stream<Arguments> ticketBugs() {
        Class<?> laws = Kits.Tickets.class;
        Class<?> queues = Kits.Queues.class;
        return Stream.of(
                bug(PlantedTicketBugs.TokenRestarts::new, laws, "take_whenQueueWasEmptied_tokenStillGrows"),
                bug(PlantedTicketBugs.TokenRestarts::new, laws, "take_afterRestart_tokenStillGrows"),
                bug(PlantedTicketBugs.TakeMissesOneAhead::new, laws, "take_byManyAtOnce_eachSeesEveryoneAhead"),
                bug(PlantedTicketBugs.TakesTwiceWhenReplyIsLost::new, laws, "take_replyLost_isFoundAgain"),
                bug(PlantedTicketBugs.HidesTheLiving::new, laws, "tickets_whileOthersComeAndGo_neverHidesTheLiving"),
                bug(PlantedTicketBugs.ChecksBeforeItArms::new, laws, "onDeparture_ofTicketGoneBefore_isReported"),
                bug(PlantedTicketBugs.ChecksBeforeItArms::new, laws, "onDeparture_racingWithRemoval_isReported"),
                bug(
                        PlantedTicketBugs.CallsTheLivingDeparted::new,
                        laws,
                        "onDeparture_ofLivingTickets_reportsEachAndNoOther"),
                bug(PlantedTicketBugs.RemovesByName::new, laws, "remove_ofTicketGoneBefore_leavesSuccessorAlone"),
                bug(PlantedTicketBugs.AlwaysClaimsToHaveRemoved::new, laws, "remove_again_isFalse"),
                bug(PlantedTicketBugs.AlwaysClaimsToHaveRemoved::new, laws, "remove_byManyAtOnce_isTrueForOne"),
                bug(
                        PlantedTicketBugs.TrustsItsSessionTooLong::new,
                        laws,
                        "session_cutOff_ticketsDepartNotBeforeItsValidityIsOver"),
                bug(
                        PlantedTicketBugs.HeartbeatProvesNothing::new,
                        laws,
                        "session_whenItEnds_ticketsDepartAndOwnerKnows"),
                bug(
                        PlantedTicketBugs.HeartbeatProvesNothing::new,
                        queues,
                        "heartbeat_inTime_sessionOutlivesItsTimeout"),
                bug(PlantedTicketBugs.ForgetsToDisarm::new, queues, "onDeparture_closed_leavesNothingAndMayBeRepeated"),
                bug(PlantedTicketBugs.RemovesLater::new, queues, "take_afterRemoveByTheSameThread_isCarriedOutAfterIt"),
                bug(PlantedTicketBugs.RemovesByName::new, queues, "remove_ofOne_leavesTheOthersInOrder"),
                bug(PlantedTicketBugs.NeverTellsOfNewcomers::new, queues, "alone_nobodyBehind_isTrueAndToldOfNewcomer"),
                bug(
                        PlantedTicketBugs.IgnoresCaseOfNames::new,
                        queues,
                        "take_underHostileNames_everyNameIsAQueueOfItsOwn"));
    }

    private static Arguments bug(Supplier<?> planted, Class<?> kit, String test) {
        return arguments(planted, kit, test);
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("ticketBugs")
    void ticketKit_bugPlanted_fails(Supplier<?> planted, Class<?> kit, String test) {
        assertThat(Kits.run(kit, test, planted)).containsExactly(Status.FAILED);
        assertThat(Kits.run(kit, test, InMemoryTicketFixture::new)).containsExactly(Status.SUCCESSFUL);
    }
}
