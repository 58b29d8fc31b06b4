import { createHash } from 'node:crypto';
import { closeStatement, cstring, frame, type FrontendMessage, HEADER, readCstring } from './messages';

/** What all sessions share because they share one engine. */
export interface SharedStatements {
  /** Whose unnamed statement the engine holds. */
  unnamedOwner: SessionStatements | null;
  /** Grows whenever a session made the engine forget everybody's statements. */
  generation: number;
}

/** An answer that the engine will give to one message of a batch, and whether the client asked for it. */
export interface ExpectedAnswer {
  readonly type: '1' | '3';
  readonly hidden: boolean;
  onSuccess(): void;
}

interface Prepared {
  readonly parse: Buffer;
  generation: number;
}

export interface Rewritten {
  readonly frames: readonly Buffer[];
  readonly expected: readonly ExpectedAnswer[];
}

const UNNAMED = '';
const LONGEST_NAME = 63;
let sessions = 0;

/**
 * One session's prepared statements in an engine that knows no sessions: named ones get names of their own, and one
 * that the engine has lost to somebody else is prepared again, unseen, just before it is used.
 */
export class SessionStatements {
  private readonly prefix = `s${++sessions}_`;
  private readonly prepared = new Map<string, Prepared>();

  constructor(private readonly shared: SharedStatements) {}

  rewrite(message: FrontendMessage): Rewritten {
    switch (message.type) {
      case 'P':
        return this.parse(message.frame);
      case 'B':
        return this.bind(message.frame);
      case 'D':
        return this.describe(message.frame);
      case 'C':
        return this.close(message.frame);
      case 'Q':
        // A simple query drops the unnamed statement, whoever it belonged to.
        this.shared.unnamedOwner = null;
        this.prepared.delete(UNNAMED);
        return { frames: [message.frame], expected: [] };
      default:
        return { frames: [message.frame], expected: [] };
    }
  }

  /** The engine has forgotten all statements at this session's wish (DISCARD ALL, DEALLOCATE ALL). */
  forgetAll(): void {
    this.prepared.clear();
    this.shared.generation += 1;
    this.shared.unnamedOwner = null;
  }

  /** The messages that take this session's statements out of the engine. */
  closeAll(): Buffer[] {
    if (this.shared.unnamedOwner === this) this.shared.unnamedOwner = null;
    const names = [...this.prepared.keys()].filter((name) => name !== UNNAMED);
    this.prepared.clear();
    return names.map((name) => closeStatement(this.engineName(name)));
  }

  private parse(message: Buffer): Rewritten {
    const { text: name, end } = readCstring(message, HEADER);
    const renamed = name === UNNAMED ? message : frame('P', cstring(this.engineName(name)), message.subarray(end));
    if (name === UNNAMED) {
      // Should this parse fail, the engine has no unnamed statement at all.
      this.shared.unnamedOwner = this;
      this.prepared.delete(UNNAMED);
    }
    const onSuccess = (): void => {
      this.prepared.set(name, { parse: renamed, generation: this.shared.generation });
    };
    return { frames: [renamed], expected: [{ type: '1', hidden: false, onSuccess }] };
  }

  private bind(message: Buffer): Rewritten {
    const { end: nameAt } = readCstring(message, HEADER);
    const { text: name, end } = readCstring(message, nameAt);
    const again = this.prepareAgain(name);
    if (name === UNNAMED) return { frames: [...again.frames, message], expected: again.expected };
    const renamed = frame('B', message.subarray(HEADER, nameAt), cstring(this.engineName(name)), message.subarray(end));
    return { frames: [...again.frames, renamed], expected: again.expected };
  }

  private describe(message: Buffer): Rewritten {
    if (!concernsStatement(message)) return { frames: [message], expected: [] };
    const { text: name } = readCstring(message, HEADER + 1);
    const again = this.prepareAgain(name);
    const renamed = frame('D', Buffer.from('S'), cstring(this.engineName(name)));
    return { frames: [...again.frames, renamed], expected: again.expected };
  }

  private close(message: Buffer): Rewritten {
    if (!concernsStatement(message)) {
      return { frames: [message], expected: [{ type: '3', hidden: false, onSuccess: () => undefined }] };
    }
    const { text: name } = readCstring(message, HEADER + 1);
    const onSuccess = (): void => void this.prepared.delete(name);
    return { frames: [closeStatement(this.engineName(name))], expected: [{ type: '3', hidden: false, onSuccess }] };
  }

  /** The engine cuts names at 63 bytes, which must not make two of them one. */
  private engineName(name: string): string {
    if (name === UNNAMED) return UNNAMED;
    const plain = `${this.prefix}${name}`;
    if (Buffer.byteLength(plain) <= LONGEST_NAME) return plain;
    return `${this.prefix}${createHash('sha1').update(name).digest('hex')}`;
  }

  private prepareAgain(name: string): Rewritten {
    const record = this.prepared.get(name);
    const lost =
      record !== undefined &&
      (record.generation !== this.shared.generation || (name === UNNAMED && this.shared.unnamedOwner !== this));
    if (!lost) return { frames: [], expected: [] };
    if (name === UNNAMED) this.shared.unnamedOwner = this;
    const onSuccess = (): void => void (record.generation = this.shared.generation);
    return { frames: [record.parse], expected: [{ type: '1', hidden: true, onSuccess }] };
  }
}

/** Describe and Close say with one letter whether they mean a statement or a portal. */
const concernsStatement = (message: Buffer): boolean => message.toString('latin1', HEADER, HEADER + 1) === 'S';
