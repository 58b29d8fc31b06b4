import { AppError } from '@bellwether/kernel';
import type { Metering } from '../metering';
import type { OrganizationsService } from '../organizations';
import type { OutboundRequest } from '../infrastructure/outbound';
import { TranslatorService } from './translator.service';

const TRANSLATOR = { dialect: 'libretranslate', url: 'https://mt.example', apiKey: 'sk' };

/** A translator service whose server gives the answers in turn. */
function over(translator: object | null, ...answers: (object | AppError)[]) {
  const asked: OutboundRequest[] = [];
  const request = (input: OutboundRequest) => {
    asked.push(input);
    const answer = answers.shift();
    if (answer instanceof AppError) return Promise.reject(answer);
    return Promise.resolve({ status: 200, headers: {}, text: '', ...answer });
  };
  const failed: unknown[] = [];
  const meter = { begin: () => ({ fail: (error: unknown) => failed.push(error) }), end: () => undefined };
  const service = new TranslatorService(
    { runtime: () => Promise.resolve({ translator }) } as unknown as OrganizationsService,
    { of: () => Promise.resolve(meter) } as unknown as Metering,
    { request },
    { tools: { translateTimeoutMs: 50 } },
  );
  const translate = (text = '¿Qué es la luz?') =>
    service.translate('o', { text, from: 'es', to: 'en', signal: new AbortController().signal });
  return { asked, failed, translate };
}

const answer = (value: unknown) => ({ text: JSON.stringify(value) });
const light = answer({ translatedText: 'What is light?' });

describe('a translator', () => {
  it('that speaks LibreTranslate gets a POST with its key in the body', async () => {
    const { asked, translate } = over(TRANSLATOR, light);
    expect(await translate()).toBe('What is light?');
    expect(asked).toMatchObject([{ url: 'https://mt.example/translate', method: 'POST', timeoutMs: 50 }]);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      q: '¿Qué es la luz?',
      source: 'es',
      target: 'en',
      format: 'text',
      api_key: 'sk',
    });
  });

  it('that speaks Apertium gets a GET with the question in its address', async () => {
    const said = answer({ responseData: { translatedText: 'What is light?' }, responseStatus: 200 });
    const { asked, translate } = over({ ...TRANSLATOR, dialect: 'apertium', url: 'https://mt.example/apy/' }, said);
    expect(await translate()).toBe('What is light?');
    const [{ url = '', method, body } = {}] = asked;
    expect([method, body]).toEqual(['GET', undefined]);
    expect(url).toMatch(/^https:\/\/mt\.example\/apy\/translate\?/);
    expect([...new URL(url).searchParams]).toEqual([
      ['langpair', 'es|en'],
      ['q', '¿Qué es la luz?'],
      ['markUnknown', 'no'],
    ]);
  });

  it('is asked for each question once', async () => {
    const { asked, translate } = over(TRANSLATOR, light, answer({ translatedText: 'What is water?' }));
    await translate();
    await translate();
    await translate('¿Qué es el agua?');
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['no JSON', { text: '<html>' }],
    ['another form', answer({ translation: 'What is light?' })],
    ['a number', answer({ translatedText: 7 })],
    ['no letters', answer({ translatedText: ' ?!' })],
    ['a flood', answer({ translatedText: 'light '.repeat(1_000) })],
  ])('is refused that answers %s', async (_, said) => {
    const { failed, translate } = over(TRANSLATOR, said);
    await expect(translate()).rejects.toMatchObject({ code: 'upstream_bad_response' });
    expect(failed).toHaveLength(1);
  });

  it('that took too long is not asked again at once', async () => {
    const { asked, translate } = over(TRANSLATOR, new AppError('upstream_timeout', 'late'), light);
    await expect(translate()).rejects.toMatchObject({ code: 'upstream_timeout' });
    await expect(translate()).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(asked).toHaveLength(1);
  });

  it('that nobody set up is not asked', async () => {
    await expect(over(null).translate()).rejects.toMatchObject({ code: 'connector_not_configured' });
  });
});
