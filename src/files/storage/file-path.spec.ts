import { pathProblem } from './blob-store';

describe('pathProblem', () => {
  it.each(['guide.md', 'notes..v2.txt', '1/notes.md', '...', 'fotosíntesi 😀.md', 'a/.hidden', '..a', "it's 50%.txt"])(
    'accepts %j',
    (ref) => expect(pathProblem(ref)).toBeNull(),
  );

  it.each([
    '',
    '/etc/passwd',
    '../other/secret.md',
    'a/../../b',
    './guide.md',
    'a//b',
    'a/',
    '..',
    'a\\b',
    '..\\..\\x',
    'C:/x',
    'c:x',
    'a\0.md',
    'a\nb',
    '\ud800.md',
    'x'.repeat(1025),
  ])('refuses %j', (ref) => expect(pathProblem(ref)).not.toBeNull());
});
