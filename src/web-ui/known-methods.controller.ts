import { AppError } from '@bellwether/kernel';
import { All, Controller, Injectable, Next, type OnApplicationBootstrap, Req, Res } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { RequestAuthenticator } from '../auth';
import { ACCESS_METADATA, type AccessRule, Public } from '../infrastructure/http';

/** Members of layers of the router of Express (router 2, `lib/layer.js`, `lib/route.js`). */
interface Layer {
  readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

interface KnownRoute {
  /** Upper case, sorted, with `OPTIONS`, and `HEAD` for every `GET`. */
  readonly methods: readonly string[];
  /** A method of the path needs no credential. */
  readonly isPublic: boolean;
}

/** Routes of all modules, for known paths with an unknown method. */
@Injectable()
export class RouteTable implements OnApplicationBootstrap {
  private readonly publicPaths = new Set<string>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const prototype = (metatype as { prototype?: object } | null)?.prototype;
      if (metatype === null || prototype === undefined) continue;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = (prototype as Record<string, unknown>)[name] as object;
        const rule = Reflect.getMetadata(ACCESS_METADATA, handler) as AccessRule | undefined;
        if (rule?.public !== true) continue;
        for (const path of pathsOf(metatype, handler)) this.publicPaths.add(path);
      }
    }
  }

  /** Merges the routes of a path; null without any. */
  at(path: string): KnownRoute | null {
    const found = this.layers().filter(({ route }) => typeof route?.path === 'string' && route.path !== EVERY_PATH);
    const routes = found.flatMap((layer) => (layer.route !== undefined && matches(layer, path) ? [layer.route] : []));
    if (routes.length === 0) return null;
    const methods = new Set(routes.flatMap((route) => Object.keys(route.methods)).map((name) => name.toUpperCase()));
    if (methods.has('GET')) methods.add('HEAD');
    methods.add('OPTIONS');
    return {
      methods: [...methods].sort(),
      isPublic: routes.some((route) => this.publicPaths.has(String(route.path))),
    };
  }

  private layers(): readonly Layer[] {
    const express = this.host.httpAdapter.getInstance<{ router?: { stack?: readonly Layer[] } }>();
    return express.router?.stack ?? [];
  }
}

/** Catch-all route of the web UI and of `KnownMethodsController`. */
const EVERY_PATH = '/{*path}';

/** A malformed percent-encoding matches nothing. */
function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}

function pathsOf(controller: object, handler: object): string[] {
  const partsOf = (target: object): string[] => [Reflect.getMetadata('path', target) as string | string[]].flat();
  return partsOf(controller).flatMap((base) =>
    partsOf(handler).map(
      (own) =>
        `/${[base, own]
          .flatMap((part) => part.split('/'))
          .filter(Boolean)
          .join('/')}`,
    ),
  );
}

/** Answers 405 to known paths with an unknown method. Its module follows those of all modules. */
@ApiExcludeController()
@Controller()
export class KnownMethodsController {
  constructor(
    private readonly routes: RouteTable,
    private readonly authenticator: RequestAuthenticator,
  ) {}

  @All('{*path}')
  @Public('Methods of a path')
  async answer(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): Promise<void> {
    const known = this.routes.at(request.path);
    if (known === null) return next();
    if (!known.isPublic) await this.authenticator.authenticate(request);
    response.setHeader('Allow', known.methods.join(', '));
    if (request.method !== 'OPTIONS') {
      throw new AppError('method_not_allowed', `This path takes ${known.methods.join(', ')}`);
    }
    response.status(204).end();
  }
}
