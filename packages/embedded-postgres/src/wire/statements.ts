import { createHash } from 'node:crypto';
import { closeStatement, cstring, frame, type FrontendMessage, HEADER, readCstring } from './messages';

/** State that all sessions of the engine share. */
export interface SharedStatements {
  /** Session that owns the unnamed statement of the engine. */
  unnamedOwner: SessionStatements | null;
  /** Increases when a session made the engine forget all statements. */
  generation: number;
}

/** An expected answer to one message, and whether the client asked for it. */
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
 * Prepared statements of one session, in an engine without sessions. Named ones get a prefix. A statement that the
 * engine has lost is prepared again before its use, unseen by the client.
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
        // A simple query drops the unnamed statement of any session.
        this.shared.unnamedOwner = null;
        this.prepared.delete(UNNAMED);
        return { frames: [message.frame], expected: [] };
      default:
        return { frames: [message.frame], expected: [] };
    }
  }

  /** After DISCARD ALL or DEALLOCATE ALL. */
  forgetAll(): void {
    this.prepared.clear();
    this.shared.generation += 1;
    this.shared.unnamedOwner = null;
  }

  /** Messages that close the statements of this session. */
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
      // If this parse fails, the engine has no unnamed statement.
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

  /** The engine truncates names at 63 bytes: a hash keeps them apart. */
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

/** One letter of Describe and Close tells a statement from a portal. */
const concernsStatement = (message: Buffer): boolean => message.toString('latin1', HEADER, HEADER + 1) === 'S';
