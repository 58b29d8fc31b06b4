import { context, INPUT, settings } from '../testing/settings';
import { SingleFileRagProcessor } from './single-file-rag.processor';

const text = 'x'.repeat(200_000);
const processor = new SingleFileRagProcessor({
  readText: async (_, path, max) => ({
    path,
    text,
    chars: text.length,
    totalChars: text.length,
    truncated: max < text.length,
  }),
});

describe('single_file_rag of classic assistants', () => {
  it('reads the whole file, however long', async () => {
    const about = context();
    expect(await processor.run(settings({ filePath: 'a.md' }), INPUT, about)).toMatchObject({
      content: text,
      sources: [{ type: 'file', path: 'a.md', chars: 200_000, truncated: false }],
    });
    expect(processor.outputLimit()).toBe(Infinity);
    expect(about.told).toEqual(['reading file a.md']);
  });

  it('reads line ends of every system as LAMB does', async () => {
    const readText = async (_: unknown, path: string) => {
      const lines = 'one\r\ntwo\rthree\n\r\nfour';
      return { path, text: lines, chars: lines.length, totalChars: lines.length, truncated: false };
    };
    const output = await new SingleFileRagProcessor({ readText }).run(settings({ filePath: 'a.md' }), INPUT, context());
    expect(output.content).toBe('one\ntwo\nthree\n\nfour');
  });

  it.each([null, ''])('rejects without a file (%j)', async (filePath) => {
    await expect(processor.run(settings({ filePath }), INPUT, context())).rejects.toMatchObject({
      code: 'tool.config_incomplete',
    });
  });
});
