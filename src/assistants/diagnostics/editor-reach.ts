import { Injectable } from '@nestjs/common';
import { isJsonObject, type JsonObject, type Principal } from '../../kernel';
import { ToolCatalogue } from '../../tools';
import type { AssistantDocument } from '../assistant.types';
import { member } from '../metadata';
import { type Diagnostic, error } from './diagnostic.types';
import { FunctionTargets } from './function-targets';
import { configReferences } from './references';

/** Something of another room that the editor may not read: what it is, and where the definition names it. */
interface Beyond {
  /** Tool and reference, wherever they stand. */
  readonly key: string;
  readonly path: string;
  readonly message: string;
}

/**
 * An assistant reads with its owner's rights, so whoever may edit it could have it read what is only the owner's, and ask.
 * Therefore what an edit newly refers to must be within the reach of who makes it as well. What was referred to already
 * stays: the owner chose it, and the editor gets nothing new.
 */
@Injectable()
export class EditorReach {
  constructor(
    private readonly tools: ToolCatalogue,
    private readonly targets: FunctionTargets,
  ) {}

  async check(after: AssistantDocument, before: AssistantDocument, editor: Principal): Promise<Diagnostic[]> {
    const beyond = await this.beyond(after, editor);
    if (beyond.length === 0) return [];
    const known = new Set((await this.beyond(before, editor)).map(({ key }) => key));
    return beyond
      .filter(({ key }) => !known.has(key))
      .map(({ path, message }) => error('tool.inaccessible', path, message));
  }

  private async beyond(document: AssistantDocument, editor: Principal): Promise<Beyond[]> {
    const found: Beyond[] = [];
    for (const { tool, config, at } of configReferences(document)) {
      const name = this.tools.canonicalName(tool);
      const gaps = (await this.tools.gaps(name, config, editor)).filter(({ code }) => code === 'tool.inaccessible');
      const messages = new Map([...gaps, ...this.files(name, config)].map(({ path, message }) => [path, message]));
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

  /** A file is its owner's alone: one of the editor's own under the same path is another file. */
  private files(tool: string, config: JsonObject): { path: string; message: string }[] {
    const properties = member(this.tools.find(tool)?.definition.config_schema ?? {}, 'properties');
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
