import { foldedText } from '@bellwether/kernel';
import { cpuTimeOf } from '../../../test/support/cpu-time';
import { searchableQuestion, searchableText } from './searchable-text';

describe('searchableText', () => {
  it.each([
    ['fotosíntesi', 'fotosintesi'],
    ['Ñandú çedilla Übung', 'Nandu cedilla Ubung'],
    ['intel·ligència, coŀlegi', 'intelligencia, collegi'],
    ['e\u0301 decomposed', 'e decomposed'],
    ['photo\u00adsyn\u00adthesis, chloro\u200bplast', 'photosynthesis, chloroplast'],
    ['eﬃcient ﬂow of oﬃce ﬁles', 'efficient flow of office files'],
    ['ＡＴＰ and CO₂…end', 'ATP and CO2 end'],
    ['co\u2011operation', 'co-operation cooperation'],
    ['μιτοχόνδρια, μιτοχονδριακός', 'μιτοχονδρια, μιτοχονδριακοσ'],
    ['\ufe8d\ufedf\ufea8\ufec4\ufeee\ufec1', 'الخطوط'],
  ])('folds %j', (text, folded) => expect(searchableText(text)).toBe(folded));

  it('keeps the marks of other scripts, which are letters there', () => {
    expect(searchableText('Синий हिन्दी')).toBe('Синий हिन्दी'.normalize('NFC'));
  });

  it.each([
    ['什么是光合作用？', '什么 么是 是光 光合 合作 作用'],
    ['徳川家康は1603年', '徳川 川家 家康 康は 1603 年'],
    ['광합성이란 ATP', '광합 합성 성이 이란 ATP'],
    ['การสังเคราะห์ด้วยแสง', 'การ สังเคราะห์ ด้วย แสง'],
  ])('cuts %j into words that a question can have, too', (text, words) => {
    const found = searchableText(text)
      .match(/[\p{L}\p{M}\p{N}]+/gu)
      ?.join(' ');
    expect(found).toBe(words);
    expect(searchableQuestion(text).trim().split(/\s+/)).toEqual(searchableText(text).trim().split(/\s+/));
  });

  it('gives the same form for a text and its decomposed twin', () => {
    const text = 'Ñandú ΜΙΤΟΧΌΝΔΡΙΑ ｶﾞｽ 한국어 Übung';
    expect(foldedText(text.normalize('NFD'))).toBe(foldedText(text));
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
