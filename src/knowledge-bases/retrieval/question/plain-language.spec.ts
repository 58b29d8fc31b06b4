import { isPlainlyIn } from './plain-language';

const LISTED = ['en', 'es', 'ca', 'eu'];
const claims = (text: string): string[] => LISTED.filter((language) => isPlainlyIn(language, text));

describe('a question that is plainly in a language', () => {
  it.each([
    ['en', 'What is the difference between mitosis and meiosis in the cells of an animal?'],
    ['en', 'HOW DO I INSTALL THIS ON WINDOWS AND WHY?'],
    ['es', '¿Cuál es la diferencia entre la mitosis y la meiosis y por qué los seres vivos las tienen?'],
    ['ca', 'Quina és la diferència entre la mitosi i la meiosi, i per què les cèl·lules tenen aquestes fases?'],
    ['eu', 'Zer da fotosintesia eta zergatik da beharrezkoa landare guztien bizitzarako?'],
  ])('is claimed by %s alone: %s', (language, question) => expect(claims(question)).toEqual([language]));
});

describe('no language is claimed', () => {
  it.each([
    ['few words', 'photosynthesis in plants'],
    ['no words', '… 12 + 3 = ?'],
    [
      'few small words among many others',
      'kernel panic stack trace null pointer heap overflow what is the segmentation fault',
    ],
    ['words of two languages', 'What does «¿por qué los gatos son así?» mean and why is it so?'],
    ['words that neighbours share', '¿De qué es la sonata?'],
    ['Catalan letters in Spanish words', 'De què està rodejat Crist dins la sepultura?'],
    ['code in another language', "'for...in' deyiminin sol tarafı 'string' veya 'any' türünde olmalıdır."],
    ['Portuguese', 'Qual é a diferença entre a mitose e a meiose e por que os seres vivos precisam delas?'],
    ['Portuguese without accents', 'Compilar todos os projetos, incluindo aqueles que parecem ser novos.'],
    ['French', 'Quelle est la différence entre les deux et pourquoi sont-ils dans la cellule?'],
    ['Italian', 'Qual è la differenza tra i due e come si dividono le cellule dei vertebrati?'],
    ['German', 'Was ist der Unterschied und warum haben die Zellen das in der Mitte?'],
    ['Dutch', 'Wat is het verschil en waarom is dat zo in de cellen van dieren?'],
    ['Swedish', 'Vad är det för skillnad och hur kan man se den i en cell?'],
    ['Greek', 'Ποια είναι η διαφορά;'],
  ])('for %s: %s', (_, question) => expect(claims(question)).toEqual([]));

  it('for a language without a list', () => {
    expect(isPlainlyIn('de', 'Was ist der Unterschied zwischen den beiden und warum?')).toBe(false);
    expect(isPlainlyIn('constructor', 'What is the difference between the two?')).toBe(false);
  });
});
