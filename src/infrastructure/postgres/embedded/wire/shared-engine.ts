import type { Engine } from '../engine/engine';
import { Channels, channelOf } from './channels';
import { Gate, type GateOptions } from './gate';
import { backendFrames, query, readRow } from './messages';
import { SettingsSwitch } from './settings';
import type { SharedStatements } from './statements';

export interface Listener {
  notify(notification: Buffer): void;
}

/** The engine and the state that all sessions share. Callers hold the gate. */
export class SharedEngine {
  readonly gate: Gate;
  readonly statements: SharedStatements = { unnamedOwner: null, generation: 0 };
  readonly channels = new Channels<Listener>();
  readonly settings = new SettingsSwitch((messages) => this.askAside(messages));

  private constructor(
    readonly engine: Engine,
    options: GateOptions,
    readonly serverVersion: string,
    /** Called when the engine is lost. */
    readonly broke: (error: unknown) => void,
  ) {
    this.gate = new Gate(options);
  }

  static async over(engine: Engine, options: GateOptions, broke: (error: unknown) => void): Promise<SharedEngine> {
    const answer = await engine.ask(query('SHOW server_version'));
    const row = [...backendFrames(answer)].find(({ type }) => type === 'D');
    const version = row ? readRow(answer, row)[0] : null;
    return new SharedEngine(engine, options, version ?? '0', broke);
  }

  ask(messages: Buffer): Promise<Buffer> {
    return this.engine.ask(messages);
  }

  /** For our own statements, which drop the unnamed statement of the engine. */
  askAside(messages: Buffer): Promise<Buffer> {
    this.statements.unnamedOwner = null;
    return this.engine.ask(messages);
  }

  publish(notifications: readonly Buffer[]): void {
    for (const notification of notifications) {
      for (const session of this.channels.listeners(channelOf(notification))) session.notify(notification);
    }
  }
}
