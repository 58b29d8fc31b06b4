import type { LambContent, LambRow } from './lamb-database';

/** Keys that must never be seen again in plain text. */
export const LAMB_SECRETS = {
  openai: 'sk-canary-lamb-openai',
  google: 'canary-lamb-google',
  knowledgeBase: 'canary-lamb-kb',
  kbServer: 'canary-lamb-kb-newer',
} as const;

/** Ids of the assistants in `lambContent` by what they are an example of. */
export const LAMB_ASSISTANTS = {
  helper: 1,
  emptyMetadata: 10,
  nullMetadata: 11,
  serverDefault: 12,
  noRag: 13,
  knowledgeBase: 14,
  file: 15,
  rubric: 16,
  rubricJson: 17,
  rubricByNumber: 18,
  rubricMissing: 19,
  quota: 20,
  functionNames: 21,
  multiTool: 22,
  newerBranches: 23,
  brokenDefaults: 24,
  emptyRag: 25,
  functionObjects: 26,
  topKZero: 27,
  topKFifty: 28,
  topKNull: 29,
  deleted: 30,
  ownerless: 31,
  brokenJson: 32,
  proto: 33,
  nul: 34,
  fileMissing: 35,
  fileOutside: 36,
  contextAware: 37,
  otherCase: 38,
} as const;

export const LAMB_RUBRIC_UUID = '0b7e2c9a-54d1-4c38-9f0e-7a1f6f1f3a11';

export const LAMB_RUBRIC_DOCUMENT = {
  rubricId: 'rubric-1750000000-essay',
  title: 'Essay rubric of LAMB',
  description: 'How essays are judged',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  criteria: [
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Clarity',
      weight: 100,
      order: 0,
      levels: [
        { id: 'l1', score: 4, label: 'Exemplary', description: 'clear', order: 0 },
        { id: 'l2', score: 1, label: 'Beginning', description: 'unclear', order: 1 },
      ],
    },
  ],
  scoringType: 'points',
  maxScore: 10,
};

export interface LambContentOptions {
  /** Base URL of the model vendor, with `/v1`. */
  readonly vendorUrl?: string;
  readonly kbUrl?: string;
}

const BASE = { prompt_processor: 'simple_augment', connector: 'openai', llm: 'gpt-4o-mini' };

const config = ({ vendorUrl = 'https://vendor.invalid/v1', kbUrl = 'https://kb.invalid' }: LambContentOptions) => ({
  version: '1.0',
  metadata: { description: 'Arts', system_managed: false },
  setups: {
    default: {
      name: 'Default',
      is_default: true,
      providers: {
        openai: {
          enabled: true,
          api_key: LAMB_SECRETS.openai,
          base_url: vendorUrl,
          models: ['gpt-4o-mini', 'gpt-4o'],
          default_model: 'gpt-4o-mini',
        },
        ollama: { enabled: false, base_url: '', models: [] },
        google: { enabled: true, api_key: LAMB_SECRETS.google, models: ['gemini-2.5-flash'] },
      },
      knowledge_base: { server_url: kbUrl, api_token: LAMB_SECRETS.knowledgeBase },
      global_default_model: { provider: 'openai', model: 'gpt-4o-mini' },
      small_fast_model: { provider: 'openai', model: 'gpt-4o-mini' },
    },
  },
  kb_server: { url: 'https://newer.invalid', api_key: LAMB_SECRETS.kbServer },
  assistant_defaults: { lamb_helper_assistant: 'lamb_assistant.1', rag_processor: 'No RAG' },
  features: { signup_enabled: false, mcp_enabled: true, rag_enabled: true, sharing_enabled: true },
  limits: { usage: { tokens_per_month: -1, max_assistants: -1, storage_gb: -1 } },
});

const ANA = 'Prof.Ana@Uni.example';

type Name = keyof typeof LAMB_ASSISTANTS;

const assistant = (name: Name, metadata: LambRow[string], more: LambRow = {}): LambRow => ({
  id: LAMB_ASSISTANTS[name],
  organization_id: 2,
  name: `2_${name.toLowerCase()}`,
  description: `About ${name}`,
  owner: ANA,
  api_callback: metadata,
  system_prompt: 'You are a tutor.',
  prompt_template: 'Context:{context}\nQuestion:{user_input}',
  RAG_endpoint: '',
  RAG_Top_k: 3,
  RAG_collections: '',
  ...more,
});

const collections: LambRow = { RAG_collections: '3, 4' };

const assistants: readonly LambRow[] = [
  assistant('helper', { ...BASE, rag_processor: 'no_rag' }, { organization_id: 1, owner: 'admin@uni.example' }),
  assistant('emptyMetadata', ''),
  assistant('nullMetadata', null, { description: null, RAG_collections: null }),
  assistant('serverDefault', { prompt_processor: 'simple_augment' }),
  assistant('noRag', { ...BASE, rag_processor: 'no_rag' }),
  assistant(
    'knowledgeBase',
    { ...BASE, rag_processor: 'simple_rag', capabilities: { vision: true, image_generation: false }, file_path: '' },
    collections,
  ),
  assistant('file', { ...BASE, rag_processor: 'single_file_rag', file_path: '2/notes.md' }),
  assistant('rubric', { ...BASE, rag_processor: 'rubric_rag', rubric_id: LAMB_RUBRIC_UUID, rubric_format: 'markdown' }),
  assistant('rubricJson', { ...BASE, rag_processor: 'rubric_rag', rubric_id: LAMB_RUBRIC_UUID, rubric_format: 'json' }),
  assistant('rubricByNumber', { ...BASE, rag_processor: 'rubric_rag', rubric_id: 1 }),
  assistant('rubricMissing', {
    ...BASE,
    rag_processor: 'rubric_rag',
    rubric_id: 'ffffffff-0000-4000-8000-000000000000',
  }),
  assistant('quota', {
    ...BASE,
    rag_processor: 'no_rag',
    quota: { enabled: true, cost_limit_usd: 5.0, alert_thresholds: [50, 80] },
  }),
  assistant('functionNames', { ...BASE, rag_processor: 'no_rag', tools: ['weather', 'moodle'] }),
  assistant(
    'multiTool',
    {
      assistant_type: 'multi_tool',
      orchestrator: 'sequential',
      connector: 'openai',
      llm: 'gpt-4o-mini',
      verbose: false,
      tools: [
        { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['3'], top_k: 3 } },
        {
          plugin: 'rubric_rag',
          placeholder: '2_rubric',
          enabled: true,
          config: { rubric_id: LAMB_RUBRIC_UUID, format: 'markdown' },
        },
      ],
    },
    { prompt_template: 'C:{1_context} R:{2_rubric} Q:{user_input}' },
  ),
  assistant('newerBranches', {
    ...BASE,
    prompt_processor: 'kvcache_augment',
    rag_processor: 'knowledge_store_rag',
    document_rag: 'library_file_rag',
    library_id: 'lib-1',
    item_id: 'item-1',
  }),
  assistant('brokenDefaults', {
    prompt_processor: 'default',
    connector: 'openai',
    llm: 'gpt-4',
    rag_processor: 'No RAG',
  }),
  assistant('emptyRag', { ...BASE, rag_processor: '' }),
  assistant('functionObjects', {
    ...BASE,
    rag_processor: 'no_rag',
    tools: [
      { type: 'assistant', assistant_id: LAMB_ASSISTANTS.noRag },
      { type: 'assistant', assistant_id: LAMB_ASSISTANTS.deleted },
      { type: 'knowledge_base', collection_id: '3' },
    ],
  }),
  assistant('topKZero', { ...BASE, rag_processor: 'simple_rag' }, { ...collections, RAG_Top_k: 0 }),
  assistant('topKFifty', { ...BASE, rag_processor: 'simple_rag' }, { ...collections, RAG_Top_k: 50 }),
  assistant('topKNull', { ...BASE, rag_processor: 'simple_rag' }, { ...collections, RAG_Top_k: null }),
  assistant(
    'deleted',
    { ...BASE, rag_processor: 'no_rag' },
    { owner: 'deleted_assistant@owi.com', name: '2_old_deleted_1750000000' },
  ),
  assistant('ownerless', { ...BASE, rag_processor: 'no_rag' }, { owner: 'gone@uni.example' }),
  assistant('brokenJson', '{"prompt_processor": "simple_augment", '),
  assistant('proto', '{"prompt_processor":"simple_augment","rag_processor":"no_rag","__proto__":{"admin":true}}'),
  assistant('nul', { ...BASE, rag_processor: 'no_rag' }, { system_prompt: Buffer.from('before\0after') }),
  assistant('fileMissing', { ...BASE, rag_processor: 'single_file_rag', file_path: '2/not-there.md' }),
  assistant('fileOutside', { ...BASE, rag_processor: 'single_file_rag', file_path: '../../etc/passwd' }),
  assistant('contextAware', { ...BASE, rag_processor: 'context_aware_rag' }, collections),
  assistant('otherCase', { ...BASE, rag_processor: 'no_rag' }, { owner: ANA.toLowerCase() }),
];

/**
 * A LAMB installation with every shape of assistant and every trap: organization 1 is LAMB's own, 2 (`arts`) is whole,
 * 3 has the slug of 2, 4 (`Physik & Co`) is suspended and its config cannot be read.
 */
export const lambContent = (options: LambContentOptions = {}): LambContent => ({
  organizations: [
    { id: 1, slug: 'lamb', name: 'LAMB System', is_system: 1, config: config(options) },
    { id: 2, slug: 'arts', name: 'Faculty of Arts', config: config(options) },
    { id: 3, slug: 'arts', name: 'The other Arts', config: {} },
    { id: 4, slug: 'Physik & Co', name: 'Physik', status: 'suspended', config: '{"setups": ' },
  ],
  Creator_users: [
    { id: 1, organization_id: 1, user_email: 'admin@uni.example', user_name: 'Admin', role: 'admin' },
    { id: 2, organization_id: 2, user_email: ANA, user_name: 'Ana', password_hash: '$2b$12$canary' },
    { id: 3, organization_id: 2, user_email: 'bob@uni.example', user_name: 'Bob' },
    { id: 4, organization_id: 2, user_email: 'student@uni.example', user_name: 'Stu', user_type: 'end_user' },
    { id: 5, organization_id: 2, user_email: 'left@uni.example', user_name: 'Left', enabled: 0 },
    { id: 6, organization_id: null, user_email: 'nowhere@uni.example', user_name: 'Nowhere' },
    { id: 7, organization_id: 4, user_email: 'physik@uni.example', user_name: 'Physiker' },
  ],
  organization_roles: [
    { organization_id: 1, user_id: 1, role: 'admin' },
    { organization_id: 2, user_id: 2, role: 'owner' },
    { organization_id: 2, user_id: 3, role: 'admin' },
    { organization_id: 2, user_id: 4, role: 'member' },
    { organization_id: 2, user_id: 999, role: 'member' },
    { organization_id: 4, user_id: 7, role: 'owner' },
  ],
  assistants,
  assistant_publish: [
    { assistant_id: LAMB_ASSISTANTS.noRag, oauth_consumer_name: '2_norag' },
    { assistant_id: LAMB_ASSISTANTS.knowledgeBase, oauth_consumer_name: null },
    { assistant_id: LAMB_ASSISTANTS.rubric, oauth_consumer_name: 'null' },
  ],
  assistant_shares: [
    { assistant_id: LAMB_ASSISTANTS.knowledgeBase, shared_with_user_id: 3 },
    { assistant_id: LAMB_ASSISTANTS.knowledgeBase, shared_with_user_id: 999 },
    { assistant_id: LAMB_ASSISTANTS.deleted, shared_with_user_id: 3 },
  ],
  rubrics: [
    {
      id: 1,
      rubric_id: LAMB_RUBRIC_UUID,
      organization_id: 2,
      owner_email: ANA,
      title: 'Essay rubric of LAMB',
      description: 'How essays are judged',
      rubric_data: LAMB_RUBRIC_DOCUMENT,
      is_public: 1,
    },
    {
      id: 2,
      rubric_id: '22222222-54d1-4c38-9f0e-7a1f6f1f3a11',
      organization_id: 2,
      owner_email: ANA,
      title: 'Without criteria',
      rubric_data: { ...LAMB_RUBRIC_DOCUMENT, criteria: [] },
    },
    {
      id: 3,
      rubric_id: '33333333-54d1-4c38-9f0e-7a1f6f1f3a11',
      organization_id: 2,
      owner_email: ANA,
      title: 'Broken',
      rubric_data: '{"criteria": [',
    },
  ],
  prompt_templates: [
    {
      id: 1,
      organization_id: 2,
      owner_email: ANA,
      name: 'Socratic',
      description: 'Asks back',
      system_prompt: 'Ask, do not tell.',
      prompt_template: '{user_input}',
      is_shared: 1,
    },
    { id: 2, organization_id: 2, owner_email: ANA.toUpperCase(), name: 'Plain', prompt_template: '{user_input}' },
  ],
  kb_registry: [
    { kb_id: '3', kb_name: 'Course notes', owner_user_id: 2, organization_id: 2, is_shared: 1 },
    { kb_id: '4', kb_name: 'Private notes', owner_user_id: 3, organization_id: 2 },
  ],
  lamb_chats: [{ chat: { history: { messages: {} } } }],
});
