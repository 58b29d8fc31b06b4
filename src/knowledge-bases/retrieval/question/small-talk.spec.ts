import { isSmallTalk } from './follow-up';

it.each([
  'Hello!',
  'Hi there, how are you today?',
  'Thanks, that was great!',
  'Thank you so much for your help',
  'ok',
  'Good morning',
  'Hola, ¿qué tal?',
  'Muchas gracias por la explicación',
  'Buenos días',
  'Perfecto, gracias',
  'Moltes gràcies!',
  'Bon dia',
  'D’acord, gràcies per l’ajuda',
  'Kaixo, zer moduz?',
  'Eskerrik asko zure laguntzagatik',
  'Mila esker, agur',
])('%j asks for no passage', (message) => expect(isSmallTalk(message)).toBe(true));

it.each([
  '',
  'Is it good?',
  'What does hello world print?',
  'Thanks. What is osmosis?',
  'yes',
  'Is that the default?',
  '¿Es claro?',
  'Gracias, ¿y la fotosíntesis?',
  'Què vol dir merci?',
  'Zer da egun polarra?',
])('%j may', (message) => expect(isSmallTalk(message)).toBe(false));
