import { detectLanguage, searchableText, searchConfiguration } from './language';

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
});

describe('detectLanguage', () => {
  it.each([
    [
      'en',
      'The cell is the basic unit of life, and the nucleus of the cell holds the DNA that is copied for each of them.',
    ],
    [
      'es',
      'La célula es la unidad de los seres vivos y el núcleo contiene el ADN, que se copia con cada división por las enzimas.',
    ],
    [
      'ca',
      'La cèl·lula és la unitat dels éssers vius i el nucli conté l’ADN, que es copia amb cada divisió; els enzims també hi són.',
    ],
    [
      'eu',
      'Zelula izaki bizidunen oinarrizko unitatea da eta nukleoak DNA dauka; ez dira denak berdinak, baina bat edo bi izan daitezke.',
    ],
  ])('tells %s', (language, text) => expect(detectLanguage(text)).toBe(language));

  it.each(['', 'x = 3', '光合作用 是 植物', 'Lorem ipsum dolor sit amet consectetur'])(
    'does not guess from %j',
    (text) => expect(detectLanguage(text)).toBe('simple'),
  );
});

it('searches word by word in a language it does not know', () => {
  expect([searchConfiguration('ca'), searchConfiguration('xx'), searchConfiguration(null)]).toEqual([
    'catalan',
    'simple',
    'simple',
  ]);
});
