import { withFoundWords } from './decompose';

const PASSAGES = [
  'The novel Frankenstein was written by Mary Shelley. It was the book of the summer.',
  'In 1818 the publisher printed five hundred copies. The summer was cold.',
];

describe('the question of a later search', () => {
  it('has the names and the repeated words that the earlier one found', () => {
    expect(withFoundWords('Who taught the author of the novel?', PASSAGES)).toBe(
      'Who taught the author of the novel? Frankenstein Mary Shelley summer',
    );
  });

  it('stays as it is where nothing was found, or nothing new', () => {
    expect(withFoundWords('Who wrote it?', [])).toBe('Who wrote it?');
    expect(withFoundWords('Mary Shelley', ['by Mary Shelley, by Mary Shelley'])).toBe('Mary Shelley');
  });
});
