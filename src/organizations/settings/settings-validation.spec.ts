import { AppError } from '@bellwether/kernel';
import { validSettingsPatch } from './settings-validation';

function pathsOf(body: unknown): string[] {
  try {
    validSettingsPatch(body);
    return [];
  } catch (error) {
    return error instanceof AppError ? error.problems.map(({ path }) => path).sort() : ['?'];
  }
}

describe('validSettingsPatch', () => {
  it('refuses a retention that is too short and an unknown kind of identifier', () => {
    const retention = { runs_days: 0, run_contents_days: 1, uploads_days: 6, audit_days: 29, chat_days: 1 };
    expect(pathsOf({ privacy: { vendor_user_ids: 'email', usage_people: 'hidden', retention } })).toEqual([
      'privacy.retention.audit_days',
      'privacy.retention.chat_days',
      'privacy.retention.runs_days',
      'privacy.retention.uploads_days',
      'privacy.usage_people',
      'privacy.vendor_user_ids',
    ]);
    expect(pathsOf({ privacy: { retention: { runs_days: null, audit_days: 30 } } })).toEqual([]);
  });

  it('lists every problem with its path', () => {
    const body = {
      id: 'x',
      providers: { openai: { api_key: 'with space', base_url: 'ftp://a', models: ['a', 3], secret: 1 } },
      features: { sharing: 'yes', flying: true },
      default_model: { provider: 'openai' },
    };
    expect(pathsOf(body)).toEqual([
      'default_model.model',
      'features.flying',
      'features.sharing',
      'id',
      'providers.openai.api_key',
      'providers.openai.base_url',
      'providers.openai.models[1]',
      'providers.openai.secret',
    ]);
  });

  it('refuses line breaks and escape sequences in the names of the organization and of terms', () => {
    const term = { from: '2027-01-01', to: '2027-06-30' };
    const terms = [
      { ...term, name: 'Term\u202E1' },
      { ...term, name: 'Term 2' },
    ];
    expect(pathsOf({ name: 'Uni\r\nBcc: a@b.example\u001b[31m', limits: { terms } })).toEqual([
      'limits.terms[0].name',
      'name',
    ]);
    expect(pathsOf({ name: 'Universität Ünter 物理' })).toEqual([]);
  });

  it.each(['id', 'slug', 'is_system', 'created_at', 'updated_at', 'settings', 'members', 'owner', 'organization_id'])(
    'refuses %s by name',
    (name) => expect(pathsOf({ [name]: 'x' })).toEqual([name]),
  );

  it.each([{}, [], null, 'text', 5])('refuses %j', (body) => expect(() => validSettingsPatch(body)).toThrow(AppError));

  it.each(['', 'OpenAI', '../x', 'a'.repeat(41)])('refuses a provider named %j', (name) =>
    expect(pathsOf({ providers: { [name]: {} } })).toEqual([`providers.${name}`]),
  );

  it('takes null for removal everywhere', () =>
    expect(
      pathsOf({ providers: { openai: null }, knowledge_base: null, models: null, features: { sharing: null } }),
    ).toEqual([]));

  it.each(['gpt-4o-mini', { provider: 'openai', model: 'gpt-4o-mini' }])("reads LAMB's small_fast_model %j", (small) =>
    expect(validSettingsPatch({ providers: { openai: { small_fast_model: small } } })).toEqual({
      providers: { openai: { fast_model: 'gpt-4o-mini' } },
    }),
  );

  it('lets fast_model win over the name it had in LAMB', () =>
    expect(validSettingsPatch({ providers: { openai: { small_fast_model: 'old', fast_model: 'new' } } })).toEqual({
      providers: { openai: { fast_model: 'new' } },
    }));
});
