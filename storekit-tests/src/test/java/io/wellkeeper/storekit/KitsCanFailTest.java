package io.wellkeeper.storekit;

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
                bug(
                        PlantedTicketBugs.TakesTheForgottenForDeparted::new,
                        laws,
                        "onDeparture_storeHasLostItsData_tellsTheForgottenOfNoDeparture"),
                bug(
                        PlantedTicketBugs.TakesTheForgottenForDeparted::new,
                        laws,
                        "take_storeHasLostItsData_notBeforeForgottenSessionsHaveEnded"),
                bug(PlantedTicketBugs.ForgetsToDisarm::new, queues, "onDeparture_closed_leavesNothingAndMayBeRepeated"),
                bug(PlantedTicketBugs.RemovesLater::new, queues, "take_afterRemoveByTheSameThread_isCarriedOutAfterIt"),
                bug(
                        PlantedTicketBugs.SendsEveryOtherTakeLater::new,
                        queues,
                        "take_manyOfANewNameByOneThread_areNumberedInTheOrderOfTheCalls"),
                bug(
                        PlantedTicketBugs.SendsEveryOtherTakeLater::new,
                        queues,
                        "take_manyWhileConnectionIsCut_areNumberedInTheOrderOfTheCalls"),
                bug(PlantedTicketBugs.RemovesByName::new, queues, "remove_ofOne_leavesTheOthersInOrder"),
                bug(PlantedTicketBugs.NeverTellsOfNewcomers::new, queues, "alone_nobodyBehind_isTrueAndToldOfNewcomer"),
                bug(
                        PlantedTicketBugs.IgnoresCaseOfNames::new,
                        queues,
                        "take_underHostileNames_everyNameIsAQueueOfItsOwn"));
    }

    static Stream<Arguments> replacementBugs() {
        Class<?> kit = Kits.Replacements.class;
        return Stream.of(
                bug(
                        PlantedReplacementBugs.QueuesUpAnew::new,
                        kit,
                        "replace_byMilderMode_everyReaderSeesItInTheSamePlace"),
                bug(
                        PlantedReplacementBugs.KeepsTheOldTicket::new,
                        kit,
                        "replace_byFewerPermits_onlyTheNewOneCanBeRemoved"),
                bug(PlantedReplacementBugs.QueuesUpAnew::new, kit, "replace_whileOthersLook_neverShowsNeitherOrBoth"),
                bug(
                        PlantedReplacementBugs.ShowsNeitherMeanwhile::new,
                        kit,
                        "replace_whileOthersLook_neverShowsNeitherOrBoth"),
                bug(
                        PlantedReplacementBugs.TellsNobodyOfTheOldOne::new,
                        kit,
                        "replace_watched_everyWatcherIsToldOfTheOldOneOnly"),
                bug(PlantedReplacementBugs.ForgetsMetadata::new, kit, "replace_metadata_isCarriedOver"),
                bug(
                        PlantedReplacementBugs.ReplacesWhatIsGone::new,
                        kit,
                        "replace_ofTicketGoneBefore_failsAndTakesNoPlace"),
                bug(PlantedReplacementBugs.QueuesUpAnew::new, kit, "replace_ofTicketGoneBefore_failsAndTakesNoPlace"),
                bug(PlantedReplacementBugs.GivesUpWhenReplyIsLost::new, kit, "replace_replyLost_isFoundOut"),
                bug(
                        PlantedReplacementBugs.KeepsTheOldTicket::new,
                        kit,
                        "replace_whileConnectionIsCut_isKnownAfterwards"),
                bug(
                        PlantedReplacementBugs.ForgetsWhoWaitsForNewcomers::new,
                        kit,
                        "replace_whileAlone_ownerIsStillToldOfNewcomer"),
                bug(PlantedReplacementBugs.DescribesNothing::new, kit, "describe_ownTicket_isShownAndKeepsItsPlace"),
                bug(
                        PlantedReplacementBugs.CannotDescribeTheGone::new,
                        kit,
                        "describe_ofTicketGoneBefore_changesNothing"));
    }

    static Stream<Arguments> noticeBugs() {
        Class<?> kit = Kits.Notices.class;
        return Stream.of(
                bug(PlantedNoticeBugs.LastWriterWins::new, kit, "post_changedSince_isFalseAndChangesNothing"),
                bug(PlantedNoticeBugs.ClaimsToHavePosted::new, kit, "post_changedSince_isFalseAndChangesNothing"),
                bug(PlantedNoticeBugs.ComparesTexts::new, kit, "post_sameTextMeanwhile_isFalse"),
                bug(PlantedNoticeBugs.NothingIsAlwaysTheSame::new, kit, "notice_upAndDownMeanwhile_hasAnotherVersion"),
                bug(PlantedNoticeBugs.ClaimsToHavePosted::new, kit, "post_byManyAtOnce_isTrueForOne"),
                bug(PlantedNoticeBugs.TrimsTexts::new, kit, "post_longText_isReadAsWritten"),
                bug(PlantedNoticeBugs.ForgetsWithAnyTicket::new, kit, "notice_ticketsComeAndGo_isKeptWhileOneIsLeft"),
                bug(
                        PlantedNoticeBugs.ForgetsAtRestart::new,
                        kit,
                        "notice_ofNameWithoutTickets_outlivesItsAuthorAndARestart"),
                bug(PlantedNoticeBugs.ReadsAhead::new, kit, "notice_askedForBehindATake_isNoOlderThanTheTicket"),
                bug(
                        PlantedNoticeBugs.ReadsAhead::new,
                        kit,
                        "notice_askedForBehindATakeByWhoIsToldOfAChange_isNoOlderThanTheTicket"),
                bug(PlantedNoticeBugs.TellsOnce::new, kit, "onNotice_changes_eachIsTold"),
                bug(PlantedNoticeBugs.IsDeaf::new, kit, "onNotice_racingWithPosts_theLastIsReported"),
                bug(PlantedNoticeBugs.IsDeaf::new, kit, "onNotice_whileConnectionIsCut_isToldAfterwards"),
                bug(PlantedNoticeBugs.IsDeaf::new, kit, "onNotice_madeWhileConnectionIsCut_isArmedAfterwards"),
                bug(PlantedNoticeBugs.TellsLate::new, kit, "onNotice_changedBeforeADeparture_isToldBeforeIt"),
                bug(PlantedNoticeBugs.DisarmsTheOthersToo::new, kit, "onNotice_oneOfTwoIsClosed_theOtherIsTold"),
                bug(
                        PlantedTicketBugs.ChecksBeforeItArms::new,
                        kit,
                        "onDeparture_ofOwnTicketThatWentWhileConnectionWasCut_isReported"),
                bug(PlantedNoticeBugs.ForgetsToDisarm::new, kit, "onNotice_closed_leavesNothingAndMayBeRepeated"));
    }

    static Stream<Arguments> leaseBugs() {
        Class<?> kit = Kits.Leases.class;
        return Stream.of(
                bug(PlantedLeaseBugs.RenewsForLess::new, kit, "renew_withShorterTtl_leaseLivesAsLongAsBefore"),
                bug(PlantedLeaseBugs.ReleasesLate::new, kit, "tryAcquire_askedForRightAfterTheRelease_isGiven"),
                bug(
                        PlantedLeaseBugs.AcquiresForLess::new,
                        kit,
                        "tryAcquire_repeatedAfterALongerRenewal_leaseLivesAsLongAsBefore"));
    }

    private static Arguments bug(Supplier<?> planted, Class<?> kit, String test) {
        return arguments(planted, kit, test);
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource({"ticketBugs", "replacementBugs", "noticeBugs"})
    void ticketKit_bugPlanted_fails(Supplier<?> planted, Class<?> kit, String test) {
        assertThat(Kits.run(kit, test, planted)).containsExactly(Status.FAILED);
        assertThat(Kits.runPatiently(kit, test, InMemoryTicketFixture::new)).containsExactly(Status.SUCCESSFUL);
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("leaseBugs")
    void leaseKit_bugPlanted_fails(Supplier<?> planted, Class<?> kit, String test) {
        assertThat(Kits.run(kit, test, planted)).containsExactly(Status.FAILED);
        assertThat(Kits.run(kit, test, InMemoryLeaseFixture::new)).containsExactly(Status.SUCCESSFUL);
    }
}
