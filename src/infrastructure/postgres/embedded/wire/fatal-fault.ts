import { type ErrorFields, ProtocolError } from './messages';
import { SettingsError } from './settings';

/** FATAL error for a client that caused the fault; null for faults of the engine. */
export function fatalFault(error: unknown): ErrorFields | null {
  if (error instanceof SettingsError) return { severity: 'FATAL', code: error.code, message: error.message };
  if (error instanceof ProtocolError) {
    return { severity: 'FATAL', code: error.code, message: `protocol violation: ${error.message}` };
  }
  return null;
}
