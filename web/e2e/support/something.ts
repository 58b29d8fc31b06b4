import { type Api, expect } from './fixtures';

/** Something of everything, so that no page is empty. */
export interface Made {
  readonly multiTool: number;
  readonly classic: number;
  readonly base: string;
  readonly rubric: string;
  readonly template: string;
  readonly run: string;
  /** Comparison of that run with its repetition. */
  readonly replay: string;
  /** Key of a sign-in service that is switched off. */
  readonly issuer: string;
  /** Id of a learning platform. */
  readonly platform: string;
}

export async function somethingOfEverything(api: Api): Promise<Made> {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Retried' });
  await api.upload(`/api/v1/knowledge-bases/${base.id}/documents`, { 'cells.md': '# Cells\n\nWater moves.' });
  await api.upload('/api/v1/files', { 'retried.md': '# Retried' });
  const template = await api.post('/api/v1/prompt-templates', { name: 'Retried', prompt_template: '{user_input}' });
  const level = (score: number) => ({ id: `l${score}`, score, label: `L${score}`, description: `Level ${score}` });
  const rubric = await api.post('/api/v1/rubrics', {
    rubricId: 'rubric-retried',
    title: 'Retried',
    description: 'For a test',
    metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z', subject: 'Biology' },
    criteria: [
      { id: 'c1', name: 'Clarity', description: 'Is it clear', weight: 100, order: 0, levels: [level(2), level(1)] },
    ],
    scoringType: 'points',
    maxScore: 10,
  });
  const tool = (plugin: string, placeholder: string, config: object) => ({
    plugin,
    placeholder,
    enabled: true,
    config,
  });
  const multiTool = await api.post('/api/v1/assistants', {
    name: 'Retried',
    prompt_template: '{1_context} {2_rubric} {3_file} {user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      orchestrator: 'planned',
      connector: 'bypass',
      tools: [
        tool('simple_rag', '1_context', { collections: [base.id] }),
        tool('rubric_rag', '2_rubric', { rubric_id: rubric.id }),
        tool('single_file_rag', '3_file', { file_path: 'retried.md' }),
      ],
    },
  });
  const classic = await api.post('/api/v1/assistants', {
    name: 'Retried, classic',
    prompt_template: '{user_input}',
    metadata: { connector: 'bypass' },
  });
  await api.post('/api/v1/api-keys', { name: 'Retried', scopes: ['read'] });
  await someGroup(api);
  const issuer = await someIssuer(api);
  const platform = await somePlatform(api);
  const started = await api.post(`/api/v1/assistants/${multiTool.id}/runs`, {
    messages: [{ role: 'user', content: 'What moves?' }],
  });
  await expect.poll(async () => (await api.get(`/api/v1/runs/${started.id}`)).status).toBe('completed');
  const replay = await api.post('/api/v1/replays', { mode: 'fresh', run_ids: [started.id] });
  return {
    multiTool: multiTool.id,
    classic: classic.id,
    base: base.id,
    rubric: rubric.id,
    template: template.id,
    run: started.id,
    replay: replay.id,
    issuer,
    platform,
  };
}

/** Its name is unique in the organization, and several files of tests share the service of a worker. */
async function someGroup(api: Api): Promise<void> {
  const { items } = await api.get('/api/v1/organizations/default/groups?q=Retried');
  if (items.length === 0) await api.post('/api/v1/organizations/default/groups', { name: 'Retried' });
}

/** A sign-in service that is switched off and answers nothing. Keys are unique in the whole service. */
export async function someIssuer(api: Api): Promise<string> {
  const key = `some-${Date.now().toString(36)}`;
  await api.post('/api/v1/organizations/default/sign-on/issuers', {
    key,
    name: 'Some university',
    issuer: 'http://127.0.0.1:9/realms/some',
    client_id: 'bellwether',
    enabled: false,
    role_claim: 'groups',
    roles: { staff: 'teacher' },
  });
  return key;
}

/** A learning platform that answers nothing. Its client id is unique in the whole service. */
export async function somePlatform(api: Api, more: object = {}): Promise<string> {
  const { id } = await api.post('/api/v1/organizations/default/lti/platforms', {
    name: 'Some Moodle',
    issuer: 'http://127.0.0.1:9',
    client_id: `some-${Date.now().toString(36)}`,
    authorization_endpoint: 'http://127.0.0.1:9/mod/lti/auth.php',
    token_endpoint: 'http://127.0.0.1:9/mod/lti/token.php',
    jwks_uri: 'http://127.0.0.1:9/mod/lti/certs.php',
    deployment_ids: ['1'],
    ...more,
  });
  return id;
}
