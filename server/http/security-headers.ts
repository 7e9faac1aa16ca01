import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Security headers with a fresh script nonce per request, in `res.locals.cspNonce`. */
export function securityHeaders(options: { https: boolean; development: boolean }): RequestHandler[] {
  const { https, development } = options;
  const nonce = (_req: IncomingMessage, res: ServerResponse) =>
    `'nonce-${(res as Response).locals.cspNonce}'`;
  const media = ["'self'", 'blob:', 'data:'];
  return [
    (_req, res, next) => {
      res.locals.cspNonce = randomBytes(16).toString('base64url');
      next();
    },
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'self'"],
          scriptSrc: ["'self'", nonce],
          scriptSrcAttr: ["'none'"],
          // Mantine sets its variables through style elements and attributes.
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: media,
          mediaSrc: media,
          fontSrc: ["'self'", 'data:'],
          // Vite's hot reload is a web socket.
          connectSrc: development ? ["'self'", 'ws:', 'wss:'] : ["'self'"],
          objectSrc: ["'none'"],
          baseUri: ["'none'"],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          ...(https ? { upgradeInsecureRequests: [] } : {}),
        },
      },
      // `no-referrer` (the default) would make browsers send `Origin: null` with our own forms.
      referrerPolicy: { policy: 'same-origin' },
      strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
      xFrameOptions: { action: 'deny' },
    }),
  ];
}
