import { Injectable } from '@nestjs/common';
import { FileArrivals, type KeptFile } from '../../files';
import type { ImportOptions } from '../import.types';
import { fingerprint } from '../reading/fingerprint';
import type { LambSource } from '../source/lamb-source.types';
import type { OriginBook } from '../storage/origin.repository';
import type { FileValue } from './landings';
import type { PlannedAssistant } from './plan-assistants';
import type { Arrival } from './reconcile';
import type { Tally } from './tally';

export interface PackedFiles {
  readonly arrivals: readonly Arrival<FileValue>[];
  /** Those whose bytes are put away, by origin. */
  readonly kept: ReadonlyMap<string, KeptFile>;
}

/** Whose files are packed, and from where. */
export interface Journey {
  readonly organizationId: string;
  /** Primary key in the source. */
  readonly origin: number;
  readonly source: LambSource;
  readonly options: ImportOptions;
  readonly book: OriginBook;
  /** @throws when the import is not ours any more. */
  readonly assertTurn: () => Promise<void>;
}

interface Wanted {
  readonly ownerId: string;
  readonly name: string;
  readonly path: string;
  readonly assistants: number[];
}

const LONGEST_KEY = 500;
/** How often a long packing makes sure of its turn. */
const TURN_MS = 10_000;
const NO_FOLDER = 'no folder of files was given';

const keyOf = ({ ownerId, name }: Pick<Wanted, 'ownerId' | 'name'>): string => {
  const key = `${ownerId}/${name}`;
  return key.length <= LONGEST_KEY ? key : fingerprint(key);
};

const plain = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

/** Files that assistants read, from the source's public folder into the spaces of those who own the assistants here. */
@Injectable()
export class FileLuggage {
  constructor(private readonly files: FileArrivals) {}

  /** How the assistant names the file here. */
  nameOf(path: string): string {
    const inside = this.files.nameOf(path);
    return inside.ok ? inside.name : path;
  }

  /** Puts the bytes of new and changed files away, unless it is a dry run. @throws when the signal fires, or the disk is full. */
  async pack(assistants: readonly PlannedAssistant[], journey: Journey, tally: Tally): Promise<PackedFiles> {
    const arrivals: Arrival<FileValue>[] = [];
    const kept = new Map<string, KeptFile>();
    let turn = performance.now();
    try {
      for (const wanted of this.wanted(assistants, journey, tally)) {
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
    return { arrivals, kept };
  }

  /** Throws bytes away that nothing names. */
  unpack(organizationId: string, files: readonly Pick<KeptFile, 'ownerId' | 'storageName'>[]): Promise<void> {
    return this.files.discard(
      organizationId,
      files.filter(({ storageName }) => storageName !== ''),
    );
  }

  private wanted(assistants: readonly PlannedAssistant[], journey: Journey, tally: Tally): Wanted[] {
    const chosen = new Map<string, Wanted>();
    for (const { id: assistant, value, files } of assistants) {
      for (const path of files) {
        const inside = this.files.nameOf(path);
        const refusal = inside.ok ? foreignFolder(path, journey) : `its path ${inside.problem}`;
        if (!inside.ok || refusal !== null) {
          tally.missingFile(path, assistant, refusal ?? '');
          continue;
        }
        const wanted = { ownerId: value.ownerId, name: inside.name, path, assistants: [assistant] };
        const known = chosen.get(keyOf(wanted));
        if (known === undefined) chosen.set(keyOf(wanted), wanted);
        else if (plain(known.path) === plain(path)) known.assistants.push(assistant);
        else tally.missingFile(path, assistant, `another file is called ${inside.name} here`);
      }
    }
    return [...chosen.values()];
  }

  private async packOne(
    wanted: Wanted,
    { organizationId, options, book }: Journey,
    tally: Tally,
  ): Promise<{ arrival: Arrival<FileValue>; file: KeptFile | null } | null> {
    const { ownerId, name, path } = wanted;
    const missing = (reason: string): null => {
      for (const assistant of wanted.assistants) tally.missingFile(path, assistant, reason);
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

/** Files lie in folders named by users. One of another organization is not this one's to take. */
function foreignFolder(path: string, { source, origin }: Journey): string | null {
  const [folder = ''] = plain(path).split('/');
  const user = /^\d{1,15}$/.test(folder) ? source.users.find(({ id }) => id === Number(folder)) : undefined;
  const foreign = user !== undefined && user.organizationId !== null && user.organizationId !== origin;
  const works = foreign && source.roles.some((role) => role.userId === user.id && role.organizationId === origin);
  return foreign && !works ? 'it lies in the folder of somebody of another organization' : null;
}
