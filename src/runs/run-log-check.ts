import { isSealSigned, merkleRoot, type ReceiptKey, type SignedSeal } from './receipts';
import { leafOf } from './run-line';

/** A segment with its entries; none when all its runs were deleted. */
export interface CheckedSegment {
  readonly id: string;
  readonly seal: SignedSeal;
  readonly entries: readonly string[];
}

/**
 * `lines`: the lines are not those that were sealed. `signature`: no public key signed the seal. `cut`: the seal before
 * this one is missing. `missing`: runs name the segment, and it is not there.
 */
export type LogFault = 'lines' | 'signature' | 'cut' | 'missing';

export interface FoundFault {
  readonly segment: string;
  readonly fault: LogFault;
}

/** Checks all segments of one organization: their lines, their signatures, and that none is missing between two of them. */
export class RunLogCheck {
  readonly faults: FoundFault[] = [];
  segments = 0;
  private readonly roots = new Set<string>();
  private readonly seals = new Set<string>();
  private readonly links: { readonly id: string; readonly seal: SignedSeal }[] = [];

  constructor(private readonly keys: readonly ReceiptKey[]) {}

  async add({ id, seal, entries }: CheckedSegment): Promise<void> {
    this.segments += 1;
    if (entries.length > 0 && !isSealed(entries, seal)) this.found(id, 'lines');
    if (!(await isSealSigned(seal, this.keys))) this.found(id, 'signature');
    this.roots.add(seal.root);
    this.seals.add(placeOf(seal));
    this.links.push({ id, seal });
  }

  /** A segment that runs name, also behind the newest seal, where no chain shows that it is missing. */
  lost(segment: string): void {
    this.found(segment, 'missing');
  }

  /** After the last segment. */
  end(): readonly FoundFault[] {
    for (const { id, seal } of this.links) {
      const { number, previous_root: previous } = seal;
      const isFollowed = number === 0 || this.seals.has(placeOf({ ...seal, number: number - 1 }));
      if (!isFollowed || (previous !== null && !this.roots.has(previous))) this.found(id, 'cut');
    }
    return this.faults;
  }

  private found(segment: string, fault: LogFault): void {
    this.faults.push({ segment, fault });
  }
}

/** A digest may stand for a deleted line. Without the count, that of a node could stand for several lines. */
const isSealed = (entries: readonly string[], { count, root }: SignedSeal): boolean =>
  entries.length === count && merkleRoot(entries.map(leafOf)) === root;

const placeOf = ({ chain, number }: Pick<SignedSeal, 'chain' | 'number'>): string => `${chain} ${number}`;
