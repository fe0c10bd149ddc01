import japicmp.model.AccessModifier
import japicmp.model.JApiChangeStatus
import japicmp.util.ModifierHelper

// To japicmp a class is modified when any of its members is, be it private, whatever accessModifier says: that leaves out only
// the members. Here those classes are left out too of which nothing has changed that is public or protected. They are taken
// out of the list itself, because the plugin does not look at what a script returns.
def changed = { it.changeStatus != JApiChangeStatus.UNCHANGED }
def visible = { ModifierHelper.matchesModifierLevel(it, AccessModifier.PROTECTED) }

jApiClasses.removeIf { type ->
    type.changeStatus == JApiChangeStatus.MODIFIED &&
            !(type.modifiers + type.attributes + type.interfaces + [type.superclass]).any(changed) &&
            !(type.fields + type.methods + type.constructors).any { changed(it) && visible(it) }
}
return jApiClasses
