import { Module } from '@nestjs/common';
import { Extractor } from './extractor';

/** Text out of uploaded documents, in processes of its own. */
@Module({ providers: [Extractor], exports: [Extractor] })
export class ExtractionModule {}
