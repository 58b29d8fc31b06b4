import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, DIAGNOSTIC_CODES, error, info, warning } from './definition';
import type { SaveValidator } from './checks/save-validator';
import type { AssistantRepository } from './storage/assistant.repository';
import { ImportedAssistantChecks } from './assistant-import';

/** Codes that are reported of an assistant with these diagnostics. */
async function keptOf(diagnostics: readonly Diagnostic[]): Promise<string[]> {
  const row = { id: 7, ownerId: 'owner' };
  const repository = { within: () => ({ find: () => Promise.resolve(row) }) } as unknown as AssistantRepository;
  const gate = { check: () => Promise.resolve({ diagnostics }) } as unknown as SaveValidator;
  const findings = await new ImportedAssistantChecks(repository, gate).findings('org', 7);
  return findings.map(({ code }) => code);
}

/** Warnings that the reference lists under "Findings". */
function documented(): string[] {
  const reference = readFileSync(join(__dirname, '../../docs/reference/lamb-import.md'), 'utf8');
  const [section = ''] = reference.split('\n## Findings\n')[1]?.split('\n## ') ?? [];
  return [...section.matchAll(/^\| `([a-z_.]+)` +\|/gm)].map(([, code = '']) => code);
}

describe('the check of imported assistants', () => {
  it('keeps the warnings that docs/reference/lamb-import.md lists, such as collection.unlisted', async () => {
    const kept = await keptOf(DIAGNOSTIC_CODES.map((code) => warning(code, 'metadata', '')));
    expect(kept).toContain('collection.unlisted');
    expect([...kept].sort()).toEqual(documented());
  });

  it('keeps every error, and no info', async () => {
    expect(await keptOf(DIAGNOSTIC_CODES.map((code) => error(code, 'metadata', '')))).toEqual(DIAGNOSTIC_CODES);
    expect(await keptOf([info('setting.ignored', 'metadata', '')])).toEqual([]);
  });
});
