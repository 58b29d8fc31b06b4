import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS, FINDINGS } from '../../src/infrastructure/findings/findings';

const FOLDER = join(__dirname, '../../web/src/lib/kit/i18n/messages');
const textsIn = (locale: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(FOLDER, `health.${locale}.json`), 'utf8'));

/** Keys that the page "Health" looks up, with the English words of the service. */
const WORDS = Object.fromEntries(
  Object.entries(FINDINGS).flatMap(([code, wording]) => [
    [`health.finding.${code}.text`, wording.text],
    ...('next' in wording ? [[`health.finding.${code}.next`, wording.next]] : []),
  ]),
);
const slots = (text = ''): string => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join();

describe('the texts of the page "Health"', () => {
  it('are those of the service in English', () => expect(textsIn('en')).toMatchObject(WORDS));

  it.each(['en', 'es', 'ca', 'eu'])(
    'word every finding in %s with the same values, and none that is gone',
    (locale) => {
      const texts = textsIn(locale);
      const found = Object.keys(texts).filter((key) => key.startsWith('health.finding.'));
      expect(found.sort()).toEqual(Object.keys(WORDS).sort());
      const other = found.filter((key) => slots(texts[key]) !== slots(WORDS[key]));
      expect(other).toEqual([]);
    },
  );

  it.each(['en', 'es', 'ca', 'eu'])('name every check in %s', (locale) => {
    const names = Object.keys(textsIn(locale)).filter((key) => key.startsWith('health.check.'));
    expect(names.sort()).toEqual(CHECKS.map((name) => `health.check.${name}`).sort());
  });
});
