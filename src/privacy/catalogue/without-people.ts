/** Tables without rows about people, with the reason. */
export const TABLES_WITHOUT_PEOPLE: Readonly<Record<string, string>> = {
  assistant_aliases: 'numbers of assistants at other installations',
  assistant_call_counts: 'counts calls between assistants and organizations',
  assistant_group_shares: 'shares with groups',
  audit_chains: 'hashes of the audit',
  connection_health: 'last outcomes of vendors and servers',
  data_keys: 'one key per organization',
  import_leases: 'names processes',
  knowledge_base_group_shares: 'shares with groups',
  kb_chunk_terms: 'numbers of words, removed with their document',
  kb_embedding_cache: 'hashes and vectors, removed with their knowledge base',
  kb_posting_blocks: 'numbers of passages, removed with their document',
  kb_terms: 'words of a knowledge base, removed with it',
  kb_vectors: 'vectors of passages, removed with their document',
  lti_activities: 'links of courses with their assistants',
  lti_attempts: 'launches under way, removed within minutes',
  lti_courses: 'courses of learning platforms',
  lti_keys: 'signing keys of the service',
  lti_platforms: 'settings of learning platforms',
  lti_legacy_activities: 'links of courses of another installation with their assistants',
  migration_items: 'results for assistants, removed with them',
  migrations: 'versions of the schema',
  oidc_attempts: 'hashes of sign-ins under way, removed within minutes',
  oidc_issuers: 'settings of sign-in services',
  organizations: 'settings of institutions',
  plan_outcomes: 'figures per assistant and day',
  tool_stats: 'figures per organization and day',
};

/** Columns of person tables that look like references to people and are none, as `table.column`. */
export const COLUMNS_WITHOUT_PEOPLE: ReadonlySet<string> = new Set([
  'audit_entries.actor_kind',
  'members.role',
  'oidc_identities.claims_at',
  'runs.caller_organization_id',
  'usage_days.caller_organization_id',
  'users.id',
]);
