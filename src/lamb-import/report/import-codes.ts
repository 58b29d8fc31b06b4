/** Codes of `notes`, `conflicts` and `left_out` of an import report: docs/reference/lamb-import.md explains each. */
export const NOTE_CODES = [
  'activity.assistants',
  'address.left_out',
  'address.mapped',
  'address.refused',
  'fast_model.left_out',
  'feature.left_out',
  'file.of_colleague',
  'function.target_missing',
  'gone_at_source',
  'knowledge_base.differs',
  'knowledge_base.none',
  'lti.key_missing',
  'lti.off',
  'lti.secret_missing',
  'members.published_only',
  'metadata.unreadable',
  'models.cut',
  'models.left_out',
  'name.changed',
  'organization.system',
  'owner.disabled',
  'owner.disabled_replaced',
  'owner.replaced',
  'passwords.taken',
  'provider.keyless',
  'provider.left_out',
  'provider.none',
  'provider.setting_left_out',
  'rubric.other_marks',
  'secret.left_out',
  'setting.inherited',
  'setting.left_out',
  'slug.changed',
  'slug.kept',
  'status.trial',
  'top_k.clamped',
  'user.address_kept',
  'user.merged',
  'user.placed',
  'user.system_admin',
] as const;
export type NoteCode = (typeof NOTE_CODES)[number];

export const CONFLICT_CODES = [
  'changed_on_both_sides',
  'deleted_here',
  'exists',
  'refused_here',
  'slug.taken',
] as const;
export type ConflictCode = (typeof CONFLICT_CODES)[number];

/** Reasons for items that were not imported. Failed organizations carry the code of their error instead. */
export const LEFT_OUT_CODES = [
  'activity.no_assistant',
  'assistant.deleted',
  'assistant.unstorable',
  'collection.id',
  'lti_person.ambiguous',
  'lti_person.nobody',
  'owner.missing',
  'rubric.invalid',
  'share.nobody',
  'template.unstorable',
  'user.address',
] as const;
export type LeftOutCode = (typeof LEFT_OUT_CODES)[number];
