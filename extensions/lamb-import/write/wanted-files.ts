import type { FileImport } from '../../../src/files';
import { fingerprint } from '../convert/fingerprint';
import type { ImportPlan, PlannedAssistant } from '../plan/plan.types';
import type { ReportBuilder } from '../report/report-builder';

/** A file that assistants of one owner read. */
export interface WantedFile {
  /** Identifies the file in later imports: its owner and name here. */
  readonly origin: string;
  readonly ownerId: string;
  readonly name: string;
  /** Below the source's public folder. */
  readonly path: string;
  readonly readers: FileReader[];
}

interface FileReader {
  readonly assistant: number;
  /** The path in this assistant's metadata. */
  readonly path: string;
  /** The colleague's folder that the file lies in; null for the owner's own. */
  readonly colleague: string | null;
}

const LONGEST_ORIGIN = 500;

function originOf(ownerId: string, name: string): string {
  const key = `${ownerId}/${name}`;
  return key.length <= LONGEST_ORIGIN ? key : fingerprint(key);
}

export const readerKey = ({ assistant, path }: Pick<FileReader, 'assistant' | 'path'>): string =>
  `${assistant} ${path}`;

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');
const normalized = (path: string): string => partsOf(path).join('/');
const isSamePath = (one: WantedFile, other: WantedFile): boolean => normalized(one.path) === normalized(other.path);

/** Files that assistants read and may read. Of several with one name here, the one with that name there, else the first. */
export function wantedFiles(plan: ImportPlan, files: Pick<FileImport, 'nameOf'>, report: ReportBuilder): WantedFile[] {
  const byOrigin = new Map<string, WantedFile[]>();
  const refused: { file: WantedFile; reason: string }[] = [];
  for (const assistant of plan.assistants) {
    for (const path of assistant.files) {
      const inside = files.nameOf(path);
      if (!inside.ok) {
        report.missingFile(path, assistant.id, `its path ${inside.problem}`);
        continue;
      }
      const { name } = inside;
      const { ownerId } = assistant.value;
      const { refusal, colleague } = accessTo(path, assistant, plan);
      const readers = [{ assistant: assistant.id, path, colleague }];
      const file = { origin: originOf(ownerId, name), ownerId, name, path, readers };
      if (refusal !== null) refused.push({ file, reason: refusal });
      else addTo(byOrigin, file);
    }
  }
  for (const { file, reason } of refused) {
    // Another assistant of the same owner may copy the file; then this one reads the copy.
    const copied = byOrigin.get(file.origin)?.find((other) => isSamePath(other, file));
    if (copied !== undefined) copied.readers.push(...file.readers);
    else reportMissing(file, reason, report);
  }
  return [...byOrigin.values()].flatMap((rivals) => {
    const chosen = rivals.find(({ name, path }) => normalized(path) === name) ?? rivals[0];
    for (const rival of rivals) {
      if (rival !== chosen) reportMissing(rival, `another file is called ${rival.name} here`, report);
    }
    return chosen ?? [];
  });
}

function addTo(byOrigin: Map<string, WantedFile[]>, file: WantedFile): void {
  const rivals = byOrigin.get(file.origin) ?? [];
  byOrigin.set(file.origin, rivals);
  const same = rivals.find((rival) => isSamePath(rival, file));
  if (same === undefined) rivals.push(file);
  else same.readers.push(...file.readers);
}

function reportMissing({ readers }: WantedFile, reason: string, report: ReportBuilder): void {
  for (const { assistant, path } of readers) report.missingFile(path, assistant, reason);
}

/**
 * Whether an assistant may read a path. Its author wrote the path, so a colleague's file is allowed only where colleagues
 * could see the assistant.
 */
function accessTo(
  path: string,
  { id, value, formerOwnerId }: PlannedAssistant,
  { userIds, shares }: ImportPlan,
): { readonly refusal: string | null; readonly colleague: string | null } {
  const [folder = ''] = partsOf(path);
  const user = /^[1-9]\d{0,14}$/.test(folder) ? userIds.get(Number(folder)) : undefined;
  if (user === undefined) return { refusal: 'its folder belongs to no member of this organization', colleague: null };
  if (user === value.ownerId || user === formerOwnerId) return { refusal: null, colleague: null };
  const isSeen = value.published || (shares.get(id) ?? []).length > 0;
  const refusal = 'it lies in the folder of a colleague, and the assistant is neither published nor shared';
  return { refusal: isSeen ? null : refusal, colleague: folder };
}

export function noteColleagues({ path, readers }: WantedFile, { assistants }: ImportPlan, report: ReportBuilder): void {
  for (const { assistant, colleague } of readers) {
    if (colleague === null) continue;
    const name = assistants.find(({ id }) => id === assistant)?.name ?? null;
    const message = `reads ${path} of user ${colleague}; its owner has a copy of it here`;
    report.note({ kind: 'assistant', origin: assistant, name }, 'file.of_colleague', message);
  }
}
