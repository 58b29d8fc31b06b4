import { Module } from '@nestjs/common';
import { Extractor } from './extractor';

@Module({ providers: [Extractor], exports: [Extractor] })
export class ExtractionModule {}
