import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type AssistantDocument, type ConfigReference, configReferences } from '../definition';
import { AssistantTargets } from './assistant-targets';
import { ReferenceGaps } from './reference-gaps';

/** A reference that a person may not read, with its place in the definition. */
export interface Unreadable {
  readonly path: string;
  readonly message: string;
}

/**
 * An assistant reads with its owner's rights. An editor could therefore add a reference to private content of the owner
 * and ask for it. So a new reference is bound only within the editor's own reach.
 */
@Injectable()
export class EditorReferenceCheck {
  constructor(
    private readonly gaps: ReferenceGaps,
    private readonly targets: AssistantTargets,
  ) {}

  async unreadable(document: AssistantDocument, editor: Principal): Promise<Unreadable[]> {
    const found: Unreadable[] = [];
    for (const reference of configReferences(document)) {
      const gaps = (await this.gaps.of(reference, editor)).filter(({ code }) => code === 'tool.inaccessible');
      const judged = gaps.map(({ path, message }) => ({ path: reference.at(path), message }));
      const messages = new Map([...judged, ...this.files(reference)].map(({ path, message }) => [path, message]));
      for (const [path, message] of messages) found.push({ path, message });
    }
    for (const { code, path, message } of await this.targets.check(document, editor, null))
      if (code === 'tool.inaccessible') found.push({ path, message });
    return found;
  }

  /** A file belongs to its owner alone: the same path of the editor is another file. */
  private files(reference: ConfigReference): Unreadable[] {
    return this.gaps.values(reference).flatMap(({ path, kind, value }) => {
      const named = typeof value === 'string' && value !== '';
      return named && kind === 'file' ? [{ path, message: `file ${value} is not accessible` }] : [];
    });
  }
}
