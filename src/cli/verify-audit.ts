import { OrganizationsService } from '../organizations';
import { AuditChainEdits, AuditVerifier, type ChainReport } from '../infrastructure/audit';
import type { Config } from '../infrastructure/config';
import { withApplication } from './context';
import { BadUsage, type CommandResult } from '../infrastructure/commands';

export interface VerifyOptions {
  readonly org?: string;
  readonly head?: string;
}

type Noted = { readonly sequence: number; readonly hash: string };

/** @throws {BadUsage} for anything but `<sequence>:<hash>` */
function notedHead(head: string | undefined, org: string | undefined): Noted | null {
  if (head === undefined) return null;
  if (org === undefined) throw new BadUsage('--head needs --org: each organization has a chain of its own');
  const [, sequence = '', hash = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(head) ?? [];
  if (hash === '') throw new BadUsage('--head must be <sequence>:<hash> of an earlier verification');
  return { sequence: Number(sequence), hash };
}

function linesOf(slug: string, report: ChainReport): string[] {
  const { intact, entries, findings, more_findings, redactions, accepted } = report;
  const { pruned_through, unsealed, last_sequence, head } = report;
  const facts = [
    `${entries} entries`,
    ...(pruned_through === null ? [] : [`pruned up to ${pruned_through}`]),
    ...(redactions.length === 0 ? [] : [`${redactions.length} redacted, each announced`]),
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted by an operator`]),
    ...(unsealed === 0 ? [] : [`${unsealed} not sealed yet`]),
  ];
  return [
    `${slug}: ${intact ? 'intact' : 'NOT INTACT'} (${facts.join(', ')})`,
    ...findings.map(({ message, entry_id }) => `  ${message}${entry_id === null ? '' : ` (${entry_id})`}`),
    ...(more_findings === 0 ? [] : [`  and ${more_findings} more`]),
    ...(head === null ? [] : [`  head ${last_sequence}:${head}`]),
  ];
}

export interface AcceptOptions {
  readonly org: string;
  readonly entries: string;
  readonly reason: string;
}

/** `audit:accept`: puts on record that entries are known which the service did not write. */
export async function acceptEntries(config: Config, { org, entries, reason }: AcceptOptions): Promise<CommandResult> {
  const [, first = '', last = first] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(entries) ?? [];
  if (first === '') throw new BadUsage('--entries must be the number of an entry, or two of them: 287-290');
  if (reason.trim() === '') throw new BadUsage('--reason must say why these entries are known');
  return withApplication(config, 'institution', async (context) => {
    const organizationId = await context.get(OrganizationsService).idOf(org);
    const range = { from: Number(first), through: Number(last) };
    const accepted = await context.get(AuditChainEdits).accept({ organizationId, ...range, reason, caller: null });
    const text = `${org}: accepted ${accepted.join(', ')}; the audit log says so in an entry of its own`;
    return { text, data: { organization: org, accepted }, ok: true };
  });
}

/** `audit:verify`: seals what is waiting, then checks every entry of every chain. */
export async function verifyAudit(config: Config, { org, head }: VerifyOptions): Promise<CommandResult> {
  const noted = notedHead(head, org);
  return withApplication(config, 'institution', async (context) => {
    const organizations = context.get(OrganizationsService);
    const verifier = context.get(AuditVerifier);
    const chosen = org === undefined ? organizations.every() : [{ slug: org, id: await organizations.idOf(org) }];
    const lines: string[] = [];
    const reports: object[] = [];
    let ok = true;
    for await (const { id, slug } of chosen) {
      const report = await verifier.verify(id, noted);
      ok = ok && report.intact;
      lines.push(...linesOf(slug, report));
      reports.push({ organization: slug, ...report });
    }
    return { text: lines.join('\n'), data: { organizations: reports }, ok };
  });
}
