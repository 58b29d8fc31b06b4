import { type ErrorFields, ProtocolError } from './messages';
import { SettingsError } from './settings';

/** What a client is told before it is hung up on; null when the fault is not its own. */
export function fatalFault(error: unknown): ErrorFields | null {
  if (error instanceof SettingsError) return { severity: 'FATAL', code: error.code, message: error.message };
  if (error instanceof ProtocolError) {
    return { severity: 'FATAL', code: error.code, message: `protocol violation: ${error.message}` };
  }
  return null;
}
