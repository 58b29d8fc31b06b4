import { ProblemError } from './problem';

/** The headers of a change that is based on a version. */
export const ifMatch = (version: number): { 'if-match': string } => ({ 'if-match': `"${version}"` });

export const isStale = (error: unknown): boolean => error instanceof ProblemError && error.status === 412;

/** Newer versions one after another that nothing is lost of; more than these only a program saves. */
const ATTEMPTS = 5;

interface Steps<Thing> {
  readonly send: (version: number) => Promise<Thing>;
  readonly read: () => Promise<Thing>;
  /** Nothing that somebody else saved since is lost by sending the change upon their version. */
  readonly losesNothing: (theirs: Thing) => boolean;
}

/**
 * Sends a change that is based on `version`. Where somebody else saved another version meanwhile, it is sent upon theirs
 * when nothing is lost by it; else theirs is given back, and a person decides.
 */
export async function sendUpon<Thing extends { readonly version: number }>(
  version: number,
  { send, read, losesNothing }: Steps<Thing>,
): Promise<{ readonly saved: Thing } | { readonly theirs: Thing }> {
  let base = version;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { saved: await send(base) };
    } catch (error) {
      if (!isStale(error)) throw error;
      const theirs = await read();
      if (attempt === ATTEMPTS || !losesNothing(theirs)) return { theirs };
      base = theirs.version;
    }
  }
}
