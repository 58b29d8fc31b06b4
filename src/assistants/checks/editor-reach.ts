import { Injectable } from '@nestjs/common';
import {
  type AssistantDocument,
  type ConfigReference,
  configReferences,
  type Diagnostic,
  error,
  member,
} from '../../definition';
import { isJsonObject, type Principal } from '../../kernel';
import { AssistantTargets } from './assistant-targets';
import { ReferenceGaps } from './reference-gaps';

/** A reference that the editor may not read. */
interface Unreadable {
  /** Tool and reference, without their place in the definition. */
  readonly key: string;
  readonly path: string;
  readonly message: string;
}

/**
 * An assistant reads with its owner's rights. An editor could therefore add a reference to private content of the owner
 * and ask for it. So a new reference must be within the editor's own reach. Existing references stay: the owner chose
 * them.
 */
@Injectable()
export class EditorReach {
  constructor(
    private readonly gaps: ReferenceGaps,
    private readonly targets: AssistantTargets,
  ) {}

  async check(after: AssistantDocument, before: AssistantDocument, editor: Principal): Promise<Diagnostic[]> {
    const unreadable = await this.unreadable(after, editor);
    if (unreadable.length === 0) return [];
    const known = new Set((await this.unreadable(before, editor)).map(({ key }) => key));
    return unreadable
      .filter(({ key }) => !known.has(key))
      .map(({ path, message }) => error('tool.inaccessible', path, message));
  }

  private async unreadable(document: AssistantDocument, editor: Principal): Promise<Unreadable[]> {
    const found: Unreadable[] = [];
    for (const reference of configReferences(document)) {
      const { config, at } = reference;
      const name = this.gaps.nameOf(reference);
      const gaps = (await this.gaps.of(reference, editor)).filter(({ code }) => code === 'tool.inaccessible');
      const messages = new Map([...gaps, ...this.files(reference)].map(({ path, message }) => [path, message]));
      for (const [path, message] of messages) {
        found.push({ key: keyOf(name, valueAt(config, path)), path: at(path), message });
      }
    }
    for (const { code, path, message } of await this.targets.check(document, editor, null)) {
      if (code !== 'tool.inaccessible') continue;
      found.push({ key: keyOf('assistant', valueAt({ metadata: document.raw }, path)), path, message });
    }
    return found;
  }

  /** A file belongs to its owner alone: the same path of the editor is another file. */
  private files(reference: ConfigReference): { path: string; message: string }[] {
    const { config } = reference;
    const properties = member(this.gaps.schemaOf(reference), 'properties');
    if (!isJsonObject(properties)) return [];
    return Object.entries(properties).flatMap(([path, schema]) => {
      const value = member(config, path);
      const named = typeof value === 'string' && value !== '';
      if (!named || !isJsonObject(schema) || schema['x-reference'] !== 'file') return [];
      return [{ path, message: `file ${value} is not accessible` }];
    });
  }
}

const keyOf = (tool: string, reference: unknown): string => JSON.stringify([tool, reference]);

/** `path` as in diagnostics: `collections[1]`, `metadata.functions[0].assistant_id`. */
function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const token of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    if (Array.isArray(value)) value = value[Number(token)];
    else value = isJsonObject(value) ? member(value, token) : undefined;
  }
  return value;
}
