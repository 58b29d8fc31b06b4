/** Tables without `organization_id` that an organization's export holds, with the condition for the rows of `$1`. */
export const EXPORTED_BY_CONDITION: Readonly<Record<string, string>> = {
  organizations: 't.id = $1',
  run_events: 't.run_id IN (SELECT id FROM runs WHERE organization_id = $1)',
  users: 't.id IN (SELECT user_id FROM members WHERE organization_id = $1)',
};

/** Tables with rows of organizations that no export holds, with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  connection_health: 'last outcomes of vendors and servers',
  data_keys: 'keys of secrets',
  file_texts: 'repeats the files',
  idempotency_records: 'answers kept for a day',
  imported_passwords: 'secrets',
  kb_chunk_terms: 'search index: repeats the documents',
  kb_chunks: 'search index: repeats the documents',
  kb_embedding_cache: 'search index: repeats the documents',
  kb_posting_blocks: 'search index: repeats the documents',
  kb_terms: 'search index: repeats the documents',
  kb_vectors: 'search index: repeats the documents',
  limit_counters: 'figures of the current limits',
  limit_reservations: 'figures of the current limits',
  lti_attempts: 'launches under way',
  lti_handovers: 'launches under way',
  lti_keys: 'keys of the service',
  lti_selections: 'launches under way',
  oidc_attempts: 'sign-ins under way',
  receipt_keys: 'keys of the service',
  run_requests: 'requests under way',
  sessions: 'secrets',
  sign_in_links: 'secrets',
};

/** Columns that are secrets or of no use elsewhere. Sealed values are left out everywhere. */
export const HIDDEN_COLUMNS: readonly string[] = ['hash', 'claim', 'claimed_until', 'body_hash'];
