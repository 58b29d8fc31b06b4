import { describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'messages');
const LOCALES = ['es', 'ca', 'eu'];
const FEATURES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.en.json'))
  .map((name) => name.replace('.en.json', ''));
const read = (feature: string, locale: string): Record<string, string> =>
  JSON.parse(readFileSync(join(FOLDER, `${feature}.${locale}.json`), 'utf8')) as Record<string, string>;
const slots = (text: string | undefined): string[] =>
  [...(text ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();

describe.each(FEATURES)('texts of %s', (feature) => {
  const english = read(feature, 'en');

  it('have keys of their own feature only', () => {
    expect(Object.keys(english).filter((key) => !key.startsWith(`${feature}.`))).toEqual([]);
  });

  it('say in English what happens, without phrases translated word by word', () => {
    const phrases =
      /\b(come in(?:to)?|go on|for itself|holds?|stands?|nothing is to do|leads? to|for whom$|brought into|folder of data)\b/i;
    expect(Object.entries(english).filter(([, text]) => phrases.test(text))).toEqual([]);
  });

  it.each(LOCALES)('are complete in %s, with the same values in braces', (locale) => {
    const other = read(feature, locale);
    expect(Object.keys(other).sort()).toEqual(Object.keys(english).sort());
    expect(Object.keys(english).filter((key) => `${slots(other[key])}` !== `${slots(english[key])}`)).toEqual([]);
    expect(Object.entries(other).filter(([, text]) => text.trim() === '')).toEqual([]);
  });
});
