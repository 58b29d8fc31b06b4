import { notFound, type Principal } from '@bellwether/kernel';
import type { Tool, ToolOutcome } from '../contract';
import { entry, invocation, invokerOf, OWNER } from '../testing/call';
import { describeTool } from '../testing/tool.conformance';
import { SingleFileRagTool } from './single-file-rag.tool';

const guide = 'be kind '.repeat(10_000);
const files = {
  exists: async (_: Principal, ref: string) => ref === 'guide.md' || ref === 'scan.pdf',
  readFailure: async (_: Principal, ref: string) =>
    ref === 'scan.pdf' ? ({ code: 'document.no_text', message: 'The PDF holds no text' } as const) : null,
  contentVersion: async (_: Principal, ref: string) => `${ref} as it is`,
  readText: async (_: Principal, path: string, maxChars: number) => {
    if (path !== 'guide.md') throw notFound('File');
    const text = guide.slice(0, maxChars);
    return { path, text, chars: text.length, totalChars: guide.length, truncated: text.length < guide.length };
  },
};
const tool = (): Tool => new SingleFileRagTool(files);

describeTool('single_file_rag', {
  tool,
  working: { file_path: 'guide.md' },
  refused: [
    [{ file_path: 7 }, 'file_path'],
    [{ file_path: 'guide.md', max_chars: 0 }, 'max_chars'],
    [{ file_path: 'guide.md', max_chars: 'all' }, 'max_chars'],
  ],
  incomplete: [
    [{}, 'tool.config_incomplete'],
    [{ file_path: '' }, 'tool.config_incomplete'],
    [{ file_path: null }, 'tool.config_incomplete'],
    [{ file_path: '../secret.md' }, 'tool.inaccessible'],
  ],
});

it('tells at save that a file cannot be read, and why', async () => {
  expect(await tool().gaps?.({ file_path: 'scan.pdf' }, OWNER)).toEqual([
    {
      path: 'file_path',
      code: 'tool.unreadable',
      message: 'The PDF holds no text',
      values: { reason: 'document.no_text' },
    },
  ]);
});

describe('single_file_rag', () => {
  const read = async (config: object): Promise<ToolOutcome> =>
    invokerOf(tool()).invoke(
      entry({ plugin: 'single_file', config: { file_path: 'guide.md', ...config } }),
      { query: '', messages: [] },
      invocation(),
    );

  it('reads 50,000 characters unless the config says otherwise, and says what it left out', async () => {
    expect(await read({})).toMatchObject({
      content: guide.slice(0, 50_000),
      sources: [{ type: 'file', path: 'guide.md', chars: 50_000, truncated: true }],
      warnings: ['guide.md was cut from 80000 to 50000 characters'],
    });
  });

  it('puts the source behind the file where classic did, beyond the length that was chosen', async () => {
    const content = `${guide.slice(0, 100)}\n\n## Available Sources\n\n. [Unknown]() (similarity: 0.000)\n`;
    const outcome = await read({ max_chars: 100, sources_in_prompt: 'lamb' });
    expect(outcome).toMatchObject({ content, truncated: false, citations: [{ source: 0 }] });
  });

  it('may read more than the common limit of tool output', async () => {
    expect(await read({ max_chars: 100_000 })).toMatchObject({ content: guide, truncated: false, warnings: [] });
  });
});
