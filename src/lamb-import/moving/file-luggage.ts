import { Injectable } from '@nestjs/common';
import { FileArrivals, type KeptFile } from '../../files';
import type { ImportOptions } from '../import.types';
import { fingerprint } from '../reading/fingerprint';
import type { OriginBook } from '../storage/origin.repository';
import type { PlannedContent } from './content';
import type { FileValue } from './landings';
import type { PlannedAssistant } from './plan-assistants';
import type { Arrival } from './reconcile';
import type { Tally } from './tally';

export interface PackedFiles {
  readonly arrivals: readonly Arrival<FileValue>[];
  /** Those whose bytes are put away, by origin. */
  readonly kept: ReadonlyMap<string, KeptFile>;
  /** What an assistant of the source calls a file here: as there, where the file does not come for it. */
  nameOf(assistant: number, path: string): string;
}

/** Whose files are packed, and from where. */
export interface Journey {
  readonly organizationId: string;
  readonly options: ImportOptions;
  readonly book: OriginBook;
  /** @throws when the import is not ours any more. */
  readonly assertTurn: () => Promise<void>;
}

interface Wanted {
  readonly ownerId: string;
  readonly name: string;
  readonly path: string;
  /** Who reads it, and what each calls it there. */
  readonly readers: Reader[];
}

interface Reader {
  readonly assistant: number;
  readonly path: string;
}

/** Whose files are wanted, and by whom. */
type Packing = Pick<PlannedContent, 'assistants' | 'people' | 'shares'>;

const LONGEST_KEY = 500;
/** How often a long packing makes sure of its turn. */
const TURN_MS = 10_000;
const NO_FOLDER = 'no folder of files was given';

const keyOf = ({ ownerId, name }: Pick<Wanted, 'ownerId' | 'name'>): string => {
  const key = `${ownerId}/${name}`;
  return key.length <= LONGEST_KEY ? key : fingerprint(key);
};

const readerKey = ({ assistant, path }: Reader): string => `${assistant} ${path}`;

const plain = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

/** Files that assistants read, from the source's public folder into the spaces of those who own the assistants here. */
@Injectable()
export class FileLuggage {
  constructor(private readonly files: FileArrivals) {}

  /** Puts the bytes of new and changed files away, unless it is a dry run. @throws when the signal fires, or the disk is full. */
  async pack(content: Packing, journey: Journey, tally: Tally): Promise<PackedFiles> {
    const arrivals: Arrival<FileValue>[] = [];
    const kept = new Map<string, KeptFile>();
    const all = this.wanted(content, tally);
    const names = new Map(all.flatMap(({ name, readers }) => readers.map((reader) => [readerKey(reader), name])));
    let turn = performance.now();
    try {
      for (const wanted of all) {
        journey.options.signal.throwIfAborted();
        if (performance.now() - turn > TURN_MS) {
          await journey.assertTurn();
          turn = performance.now();
        }
        const packed = await this.packOne(wanted, journey, tally);
        if (packed === null) continue;
        arrivals.push(packed.arrival);
        if (packed.file !== null) kept.set(packed.arrival.origin, packed.file);
      }
    } catch (error) {
      await this.unpack(journey.organizationId, [...kept.values()]);
      throw error;
    }
    return { arrivals, kept, nameOf: (assistant, path) => names.get(readerKey({ assistant, path })) ?? path };
  }

  /** Throws bytes away that nothing names. */
  unpack(organizationId: string, files: readonly Pick<KeptFile, 'ownerId' | 'storageName'>[]): Promise<void> {
    return this.files.discard(
      organizationId,
      files.filter(({ storageName }) => storageName !== ''),
    );
  }

  /** Of several files that would have one name here, the one that has it there, else the first. */
  private wanted(content: Packing, tally: Tally): Wanted[] {
    const places = new Map<string, Wanted[]>();
    for (const planned of content.assistants) {
      for (const path of planned.files) {
        const inside = this.files.nameOf(path);
        const refusal = inside.ok ? foreignFolder(planned, path, content, tally) : `its path ${inside.problem}`;
        if (!inside.ok || refusal !== null) {
          tally.missingFile(path, planned.id, refusal ?? '');
          continue;
        }
        const reader = { assistant: planned.id, path };
        const wanted = { ownerId: planned.value.ownerId, name: inside.name, path, readers: [reader] };
        const rivals = places.get(keyOf(wanted)) ?? [];
        places.set(keyOf(wanted), rivals);
        const same = rivals.find((rival) => plain(rival.path) === plain(path));
        if (same === undefined) rivals.push(wanted);
        else same.readers.push(reader);
      }
    }
    return [...places.values()].flatMap((rivals) => {
      const chosen = rivals.find(({ name, path }) => plain(path) === name) ?? rivals[0];
      for (const { name, readers } of rivals.filter((rival) => rival !== chosen)) {
        for (const { assistant, path } of readers) {
          tally.missingFile(path, assistant, `another file is called ${name} here`);
        }
      }
      return chosen ?? [];
    });
  }

  private async packOne(
    wanted: Wanted,
    { organizationId, options, book }: Journey,
    tally: Tally,
  ): Promise<{ arrival: Arrival<FileValue>; file: KeptFile | null } | null> {
    const { ownerId, name, path } = wanted;
    const missing = (reason: string): null => {
      for (const { assistant } of wanted.readers) tally.missingFile(path, assistant, reason);
      return null;
    };
    const origin = keyOf(wanted);
    const known = book.find('file', origin);
    if (options.files === null) {
      if (known === null) return missing(NO_FOLDER);
      tally.count('file', 'unchanged');
      return null;
    }
    const found = await this.files.read(options.files, path);
    if (!found.found) return missing(found.problem);
    const { bytes, sha256 } = found;
    const arrival = { origin, name: path, value: { ownerId, name, sha256 } };
    if (known?.importedSha256 === fingerprint(arrival.value)) return { arrival, file: null };
    const owner = { organizationId, userId: ownerId };
    const file = options.dryRun
      ? this.files.describe(owner, name, bytes, sha256)
      : await this.files.keep(owner, name, bytes, sha256);
    return { arrival, file };
  }
}

/**
 * Why a file is not the assistant's to read; null when it is. Files lie in folders named by users. A path is a claim of
 * whoever made the assistant: that of a colleague's file is believed where colleagues could see the assistant.
 */
function foreignFolder(
  { id, origin, name, value }: PlannedAssistant,
  path: string,
  { people, shares }: Packing,
  tally: Tally,
): string | null {
  const [folder = ''] = plain(path).split('/');
  const user = /^[1-9]\d{0,14}$/.test(folder) ? people.get(Number(folder)) : undefined;
  if (user === undefined) return 'it lies in the folder of nobody of this organization';
  if (user === value.ownerId) return null;
  const isSeen = value.published || (shares.get(id) ?? []).length > 0;
  if (!isSeen) return 'it lies in the folder of a colleague, and the assistant is neither published nor shared';
  const message = `reads ${path} out of the folder of user ${folder}; its owner got a copy if it is there`;
  tally.note({ kind: 'assistant', origin, name }, 'file.of_colleague', message);
  return null;
}
