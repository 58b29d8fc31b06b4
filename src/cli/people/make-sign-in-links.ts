import { ROLES, type Role, invalid } from '@bellwether/kernel';
import { constants, fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { SignInLinks } from '../../auth';
import type { Config } from '../../infrastructure/config';
import { MembersService, OrganizationsService } from '../../organizations';
import { withApplication } from '../context';
import { BadUsage, type CommandResult } from '../../infrastructure/commands';

const OTHERS = 0o077;
const STANDARD_OUTPUT = 1;

const tooOpen = (name: string, remedy: string): BadUsage =>
  new BadUsage(`${name} can be read by other users of this machine: ${remedy}`);

/**
 * Opens a file that only its owner may read, and does not follow a link.
 * @throws {BadUsage} for a file that others may read, and for what is no file
 */
export async function openSecretFile(path: string): Promise<FileHandle> {
  const { O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new BadUsage(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  const stat = await file.stat();
  if (stat.isFile() && (stat.mode & OTHERS) === 0) {
    await file.truncate();
    return file;
  }
  await file.close();
  throw stat.isFile() ? tooOpen(path, `chmod 600 ${path}`) : new BadUsage(`${path} is not a file`);
}

/** @throws {BadUsage} where standard output is redirected into a file that others may read */
export function assertSecretOutput(descriptor = STANDARD_OUTPUT): void {
  const stat = fstatSync(descriptor);
  if (stat.isFile() && (stat.mode & OTHERS) !== 0) {
    throw tooOpen('The file behind standard output', 'name the file after --csv instead');
  }
}

export interface LinksOptions {
  readonly organization: string;
  /** A path; true writes to standard output. */
  readonly csv?: string | true;
  readonly role?: string;
  readonly hours: string;
  readonly everybody?: boolean;
}

/** Two weeks. */
const MAX_HOURS = 336;
const PAGE = 200;
const COLUMNS = ['email', 'name', 'role', 'link', 'expires_at'] as const;

interface Choice {
  readonly hours: number;
  readonly role: Role | null;
  readonly everybody: boolean;
}

/** @throws {BadUsage} with every problem */
function checked({ hours, role, everybody }: LinksOptions): Choice {
  const problems: string[] = [];
  const count = Number(hours);
  if (!Number.isInteger(count) || count < 1 || count > MAX_HOURS) {
    problems.push(`--hours must be an integer from 1 to ${MAX_HOURS}`);
  }
  const known = ROLES.find((each) => each === role) ?? null;
  if (role !== undefined && known === null) problems.push(`--role must be one of ${ROLES.join(', ')}`);
  if (problems.length > 0) throw new BadUsage(problems.join('\n'));
  return { hours: count, role: known, everybody: everybody === true };
}

async function membersOf(service: MembersService, organizationId: string, { role, everybody }: Choice) {
  const chosen = [];
  let cursor: string | null = null;
  do {
    const page = await service.list(organizationId, { limit: PAGE, cursor });
    for (const member of page.items) {
      const isNew = everybody || member.first_signed_in_at === null;
      if (!member.disabled && isNew && (role === null || member.role === role)) chosen.push(member);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return chosen;
}

/** `sign-in:links`: a link for each member who has none to come in by. The links are secrets. */
export async function makeSignInLinks(config: Config, options: LinksOptions): Promise<CommandResult> {
  const choice = checked(options);
  const { csv = true, organization } = options;
  // Opened first: links that cannot be written would end the earlier ones for nothing.
  const file = csv === true ? null : await openSecretFile(csv);
  if (csv === true) assertSecretOutput();
  try {
    return await withApplication(config, 'institution', async (context) => {
      const organizationId = await context.get(OrganizationsService).idOf(organization);
      const members = await membersOf(context.get(MembersService), organizationId, choice);
      if (members.length === 0) {
        const message = 'has no such member without a sign-in; --everybody includes those who signed in before';
        throw invalid([{ path: 'organization', message }], 'No link was made');
      }
      const ids = members.map(({ user_id }) => user_id);
      const links = await context.get(SignInLinks).makeAll(organizationId, ids, choice.hours);
      const base = config.http.publicUrl ?? `http://localhost:${config.http.port}`;
      const rows = members.map(({ email, name, role }, index) => {
        const { path = '', expiresAt } = links[index] ?? {};
        return [email, name, role, new URL(path, base).href, expiresAt?.toISOString() ?? ''];
      });
      const text = stringify(rows, { header: true, columns: [...COLUMNS], escape_formulas: true });
      const data = { organization, links: members.length };
      if (file === null) return { text: text.trimEnd(), data: { ...data, csv: text } };
      await file.writeFile(text);
      return { text: `Wrote ${members.length} links to ${String(csv)}.`, data: { ...data, file: csv } };
    });
  } finally {
    await file?.close();
  }
}
