import { Inject, Injectable } from '@nestjs/common';
import { checkNumber, checkShape, checkStrategy, checkTools, type MetadataRules, errorsOf } from '../definition';
import type { JsonObject, Problem } from '../../kernel';
import { CatalogueRules } from '../running/catalogue-rules';

/** The checks of a save that read only the document: shape, strategy, tools and their schemas. */
@Injectable()
export class StaticChecks {
  /** `vocabulary`: names and slots of the installed tools. */
  constructor(@Inject(CatalogueRules) readonly vocabulary: MetadataRules) {}

  /** Problems that refuse a save by any owner. */
  problems(metadata: JsonObject): readonly Problem[] {
    const crowd = checkNumber(metadata);
    if (crowd.length > 0) return errorsOf(crowd);
    const { vocabulary } = this;
    return errorsOf([
      ...checkShape(metadata),
      ...checkStrategy(metadata, vocabulary),
      ...checkTools(metadata, vocabulary),
    ]);
  }
}
