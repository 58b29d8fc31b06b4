import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuthModule } from '../auth';
import { KnownMethodsController, RouteTable } from './known-methods.controller';

@Module({ imports: [AuthModule, DiscoveryModule], controllers: [KnownMethodsController], providers: [RouteTable] })
export class KnownMethodsModule {}
