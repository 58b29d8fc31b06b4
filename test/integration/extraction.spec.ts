import { type ExtractedDocument, Extractor } from '../../src/extraction';
import { type Config, loadConfig } from '../../src/platform/config';

const extractorWith = (env: Record<string, string> = {}): Extractor => {
  const config: Config = loadConfig({ NODE_ENV: 'test', ...env });
  return new Extractor(config);
};
let extractor: Extractor;
const extract = (filename: string, bytes: Buffer | string): Promise<ExtractedDocument> =>
  extractor.extract({ filename, bytes: Buffer.from(bytes as string) });

beforeAll(() => void (extractor = extractorWith()));
afterAll(() => extractor.onApplicationShutdown());

it('keeps Markdown as it is', async () => {
  const text = '# Cells\n\n$\\alpha_1 \\ne \\beta$\n\n```python\nx = {"a": [1]}  # *not* bold\n```\n';
  const started = performance.now();
  expect(await extract('cells.md', text)).toEqual({
    format: 'markdown',
    contentType: 'text/markdown',
    text,
    title: 'Cells',
    pages: [],
    warnings: [],
  });
  console.log(performance.now() - started);
});
