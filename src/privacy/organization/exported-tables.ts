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

/**
 * Columns that leave in an organization's export, by table. Every other table and column stays, a new one too until it is
 * listed: hashes, keys, work under way, and what the service alone needs. Sealed values are left out everywhere.
 */
const COLUMNS: Readonly<Record<string, string>> = {
  api_keys: `
    id organization_id user_id name public_id scopes assistant_ids expires_at last_used_at revoked_at created_at
    published_only`,
  assistant_aliases: 'organization_id source number assistant_id',
  assistant_call_counts: 'organization_id counted most slots',
  assistant_group_shares: 'assistant_id group_id organization_id access created_at',
  assistant_shares: 'assistant_id user_id organization_id access created_at',
  assistant_tests: 'id organization_id assistant_id name turns version created_at updated_at',
  assistant_versions: `
    assistant_id version organization_id author_id reason type name description system_prompt prompt_template
    metadata rag_collections rag_top_k created_at collection_ids`,
  assistants: `
    id organization_id owner_id type name description system_prompt prompt_template metadata rag_collections
    rag_top_k published version created_at updated_at deleted_at disabled published_to_all collection_ids
    live_version`,
  audit_chains: 'organization_id sequence checked_at checked_intact',
  audit_entries: `
    id organization_id actor_kind actor_user_id actor_credential_id action target_type target_id before after
    request_id ip at sequence`,
  conversation_messages: `
    id organization_id conversation_id user_id position role text parts run_id status error_code error_detail
    sources created_at previous_id notice`,
  conversations: `
    id organization_id user_id assistant_id assistant_name title created_at updated_at last_message_id activity_id`,
  erasure_requests: `
    id organization_id subject_id heir_id requested_by unshared state counts handed_over report failure
    deactivated_at created_at finished_at`,
  external_collections: 'organization_id collection_id owner_id name shared created_at updated_at',
  files: 'id organization_id owner_id name content_type size sha256 created_at updated_at',
  group_members: 'group_id user_id source organization_id created_at',
  groups: 'id organization_id name description external_id owner_id source version created_at updated_at',
  join_links: 'id organization_id created_by name assistant_id group_id uses used expires_at revoked_at created_at',
  kb_documents: `
    id organization_id knowledge_base_id filename title content_type size sha256 status error attempts generation
    chunk_count created_at updated_at error_code progress_current progress_total deleted_at warnings answering
    setback unused_files source_url language page_count page_labels lost_starts`,
  kb_judgements: 'id organization_id knowledge_base_id question chunks is_right filename excerpt created_at',
  kb_sources: `
    id organization_id knowledge_base_id url kind refresh language document_id status error error_code failures
    last_modified checked_at fetched_at next_at created_at`,
  knowledge_base_group_shares: 'knowledge_base_id group_id organization_id created_at',
  knowledge_base_shares: 'knowledge_base_id user_id organization_id created_at',
  knowledge_bases: `
    id organization_id owner_id slug name description language visibility chunk_size chunk_overlap chunk_count
    token_count deleted_at created_at updated_at embedding vector_index vector_embedding next_vector_index
    index_error hybrid_weight version passages_shown alias index_version languages language_chosen rerank`,
  lti_activities: `
    id organization_id platform_id course_id deployment_id resource_link_id title assistant_ids linked_assistants
    settings line_items_url line_item_url score_scopes frame_origin version created_at updated_at`,
  lti_activity_people: 'activity_id user_id organization_id instructor pseudonym agreed_at agreed_to last_launch_at',
  lti_bridge_keys: 'id organization_id bridge_id kind consumer_key assistant_id last_launch_at created_at',
  lti_bridges: 'id organization_id enabled until continued_by version created_at updated_at',
  lti_course_people: 'course_id user_id organization_id instructor last_launch_at',
  lti_courses: `
    id organization_id platform_id deployment_id context_id title group_id roster_url created_at updated_at`,
  lti_grades: `
    id organization_id activity_id subject user_id score maximum comment state refusal graded_by created_at sent_at`,
  lti_identities: 'platform_id subject organization_id user_id created_at last_launch_at',
  lti_legacy_activities: 'id organization_id resource_link_id context_id title assistant_ids teachers_read',
  lti_legacy_people: 'id organization_id door legacy_user_id email user_id',
  lti_platforms: `
    id organization_id name issuer client_id authorization_endpoint token_endpoint token_audience jwks_uri
    deployment_ids instructor_role match active version created_at updated_at awaits_approval proven_at`,
  lti_registrations: 'organization_id created_by expires_at claimed_at',
  members: `
    organization_id user_id name role disabled created_at updated_at first_signed_in_at invited_at invitation
    invitation_problem checklist`,
  migration_batches: `
    id organization_id target_version state task background forced batch_size actor total examined migrated skipped
    failed rolled_back apply_cursor rollback_cursor result created_at finished_at`,
  migration_items: `
    batch_id assistant_id organization_id status from_version old_version new_version problems differences audit_id
    at`,
  oidc_identities: `
    issuer subject user_id organization_id issuer_key email groups claims claims_at created_at authority external_id`,
  oidc_issuers: `
    id organization_id key name url client_id logo enabled listed for_all settings version created_at updated_at`,
  organizations: 'id slug name is_system settings created_at updated_at suspended version erase_after ending',
  origins: 'organization_id source kind origin_id local_id imported_at',
  plan_outcomes: `
    organization_id assistant_id query_class tools planner arm day plans steps failed_steps duration_sum
    planning_sum tokens confidence_sum confidences`,
  prompt_templates: `
    id organization_id owner_id type name description system_prompt prompt_template shared created_at updated_at
    version`,
  publication_gates: 'assistant_id organization_id required override',
  replays: 'id organization_id user_id caller wish items created_at cancelled_at finished_at',
  rubrics: `
    id organization_id owner_id rubric_key origin_id title visibility document created_at updated_at origin_key
    version`,
  run_events: 'run_id seq type data at',
  run_segments: `
    id organization_id caller_organization_id body count chain number root previous_root signature key_id sealed_at`,
  runs: `
    id organization_id user_id credential_id assistant_id assistant_name assistant_type strategy connector model
    stream status finish_reason error_code created_at finished_at duration_ms prepared_ms first_token_ms
    prompt_tokens completion_tokens total_tokens tools sources events report parent_run_id caller_organization_id
    background cancel_requested_at cancel_reason plan pruned_at passages rating rating_reason question
    assistant_version problems cost_micros draft request_id recording receipt replay segment_id segment_position`,
  scim_tokens: 'id organization_id name link_existing created_by created_at last_used_at',
  scim_users: 'organization_id user_id external_id resource deleted_at created_at updated_at',
  test_results: 'id organization_id test_run_id test_id test_version name turns state run_id asked refusal',
  test_runs: 'id organization_id assistant_id assistant_version user_id caller created_at cancelled_at finished_at',
  tool_stats: `
    organization_id plugin day calls failures retries cache_hits fallbacks duration_sum durations confidence_sum
    confidences`,
  usage_days: `
    organization_id day caller_organization_id assistant_id assistant_name provider model user_id credential_id runs
    failed model_calls estimated_calls prompt_tokens completion_tokens cached_tokens cost_micros`,
  users: 'id email created_at',
};

export const EXPORTED_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(COLUMNS).map(([table, columns]) => [table, columns.trim().split(/\s+/)]),
);
