import { cpuTimeOf } from '../../../../test/support/cpu-time';
import { searchableQuestion, searchableText } from './searchable-text';

describe('searchableText', () => {
  it.each([
    ['fotosíntesi', 'fotosintesi'],
    ['Ñandú çedilla Übung', 'Nandu cedilla Ubung'],
    ['intel·ligència, coŀlegi', 'intelligencia, collegi'],
    ['e\u0301 decomposed', 'e decomposed'],
  ])('folds %j', (text, folded) => expect(searchableText(text)).toBe(folded));

  it('keeps the marks of other scripts, which are letters there', () => {
    expect(searchableText('Синий हिन्दी')).toBe('Синий हिन्दी'.normalize('NFC'));
  });

  it('makes text of anything: no NUL, no half characters', () => {
    expect(searchableText('a\0b\ud800')).toBe('a b\ufffd');
  });

  it.each([
    ['client/server and input/output', 'client server and input output'],
    ['numpy.array in /etc/apt/sources.list', 'numpy array in /etc apt sources list'],
    ['a sentence.Without a space, CO2/H2O', 'a sentence Without a space, CO2 H2O'],
    ['3.14, 1/2 and e.g. the U.S.', '3.14, 1/2 and e.g. the U.S.'],
    ['parseXmlFile', 'parseXmlFile parse Xml File'],
    ['XMLParser', 'XMLParser XML Parser'],
    ['JavaScript on an iPhone by McDonald', 'JavaScript Java Script on an iPhone Phone by McDonald Donald'],
    ['e-mail, co-operate, well-being', 'e-mail email, co-operate cooperate, well-being'],
  ])('takes the compounds of %j apart', (text, parts) => expect(searchableText(text)).toBe(parts));

  it('leaves a name of a question whole, which weighs more than its parts', () => {
    expect(searchableQuestion('parseXml in client/server')).toBe('parseXml in client server');
  });

  it('asks an index of the first form with compounds as they stand', () => {
    expect(searchableQuestion('client/server és', 1)).toBe('client/server es');
  });

  it.each([
    'a'.repeat(60_000),
    'aB'.repeat(30_000),
    'a.'.repeat(30_000),
    'a-'.repeat(30_000),
    `${'x'.repeat(60_000)}/a`,
  ])('takes a hostile text in linear time', (text) =>
    expect(cpuTimeOf(() => searchableText(text))).toBeLessThan(1_000),
  );
});
