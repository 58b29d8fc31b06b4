import { Global, Module } from '@nestjs/common';
import { LanguageDetector } from './language-detector';

@Global()
@Module({ providers: [LanguageDetector], exports: [LanguageDetector] })
export class LanguagesModule {}
