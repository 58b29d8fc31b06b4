import { AppError } from '@bellwether/kernel';
import type { TranslatorService } from '../../connectors';
import type { LanguageDetector } from '../../infrastructure/languages';
import { QuestionLanguages } from './question-languages';

const spanish = { language: 'es', scores: { es: 0.9 } };

function over(translate: TranslatorService['translate'], isConfigured = true) {
  const detect = (text: string) => Promise.resolve(text.startsWith('¿') ? spanish : null);
  const languages = new QuestionLanguages(
    { isConfigured: () => Promise.resolve(isConfigured), translate } as unknown as TranslatorService,
    { detect } as unknown as LanguageDetector,
  );
  return (...into: string[]) =>
    languages.translate('o', {
      text: '¿Qué es la luz?',
      language: spanish,
      into,
      signal: new AbortController().signal,
    });
}

describe('a question in another language', () => {
  it('is translated into each language of the material', async () => {
    const { texts, warnings } = await over((_, { from, to }) => Promise.resolve(`${from} to ${to}`))('en', 'ca');
    expect([...texts]).toEqual([
      ['en', 'es to en'],
      ['ca', 'es to ca'],
    ]);
    expect(warnings).toEqual([]);
  });

  it('keeps its words where the translator fails, lies or is missing', async () => {
    const late = over(() => Promise.reject(new AppError('upstream_timeout', 'late')));
    expect((await late('en')).warnings).toEqual([
      'The translator took too long: the question was searched for in its own words',
    ]);
    const echo = await over((_, { text }) => Promise.resolve(text))('en');
    expect([echo.texts.size, echo.warnings]).toEqual([
      0,
      ['The translator gave the question back in its own language: the question was searched for in its own words'],
    ]);
    expect((await over(() => Promise.reject(new Error('never asked')), false)('en')).warnings).toEqual([]);
  });
});
