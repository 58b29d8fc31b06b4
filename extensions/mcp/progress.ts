import type { Observable, Subscription } from 'rxjs';
import type { StampedRunEvent } from '../../src/kernel';
import type { CallExtra } from './call-extra.types';

/** Clients measure their patience from the last word. */
const HEARTBEAT_MS = 10_000;
/** Tools may tell of every step; a client needs to see that something moves. */
const CHATTY_MS = 100;
const CHATTY: ReadonlySet<string> = new Set(['tool.progress', 'run.progress', 'tool.retry']);

/**
 * Tells a client that asked for it how its call goes on (MCP specification, "Progress"). The texts are those of the
 * completions' progress: names and figures, never contents.
 */
export class Progress {
  private readonly token: string | number | undefined;
  private subscription: Subscription | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private sent = 0;
  private lastChatty = -Infinity;

  constructor(private readonly extra: CallExtra) {
    this.token = extra._meta?.progressToken;
  }

  follow(events: Observable<StampedRunEvent>): void {
    if (this.token === undefined) return;
    this.subscription = events.subscribe((event) => this.tell(event));
    this.heartbeat = setInterval(() => this.send('The assistant is working'), HEARTBEAT_MS);
  }

  end(): void {
    this.subscription?.unsubscribe();
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
  }

  private tell(event: StampedRunEvent): void {
    if (CHATTY.has(event.type)) {
      const now = performance.now();
      if (now - this.lastChatty < CHATTY_MS) return;
      this.lastChatty = now;
    }
    const message = textOf(event);
    if (message !== null) this.send(message);
  }

  private send(message: string): void {
    const { token } = this;
    if (token === undefined) return;
    this.sent += 1;
    const params = { progressToken: token, progress: this.sent, message };
    // A client that left hears nothing; its call ends by the closed connection.
    this.extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}

function textOf(event: StampedRunEvent): string | null {
  if (event.type === 'llm.started') return 'The model is asked';
  if (event.type === 'run.failed' || event.type === 'warning') return null;
  return 'message' in event ? event.message : null;
}
