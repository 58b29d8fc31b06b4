import { type ProgressOutput, ShownProgress } from './progress';

describe('progress of a command', () => {
  let written: string[];
  let at: number;
  const shown = (terminal: Partial<ProgressOutput> = {}): ShownProgress => {
    written = [];
    at = 0;
    return new ShownProgress({ write: (text) => written.push(text), ...terminal }, () => at);
  };

  it('is at most one plain line a second where nobody watches, and the last one in any case', () => {
    const progress = shown();
    for (let done = 0; done <= 25; done += 1, at += 100) progress.report({ done, total: 25, text: 'assistants' });
    progress.end();
    expect(written).toEqual(['0/25 assistants\n', '10/25 assistants\n', '20/25 assistants\n', '25/25 assistants\n']);
  });

  it('is a bar on a terminal, no wider than it, and gone at the end', () => {
    const progress = shown({ isTTY: true, columns: 50 });
    progress.report({ done: 1, total: 4, text: 'rows copied (a table with a very long name)' });
    progress.report({ done: 2, total: 4, text: 'too soon after the one before' });
    at += 60;
    progress.report({ done: 3, total: null, text: 'of many' });
    progress.end();
    expect(written).toEqual([
      '\r\u001b[2K[######..................] 25 % 1/4 rows copied (',
      '\r\u001b[2K[........................] 3 of many',
      '\r\u001b[2K',
    ]);
  });

  it('has no escapes from names', () => {
    const progress = shown();
    progress.report({ done: 1, total: null, text: 'copied \u001b]52;c;ZXZpbA==\u0007\nmore' });
    expect(written).toEqual(['1 copied  ]52;c;ZXZpbA== more\n']);
  });
});
