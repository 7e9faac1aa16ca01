import { describe, expect, it } from 'vitest';
import { classifyFailure, createOutcomeOfFailure, errorClassOfStatus } from './classify-error.ts';

const error = (code: string, syscall?: string, message = code) =>
  Object.assign(new Error(message), { code, syscall });
/** As undici's fetch and then ofetch wrap it. */
const wrapped = (cause: unknown) =>
  new Error('[POST] "https://x": <no response> fetch failed', {
    cause: new TypeError('fetch failed', { cause }),
  });

describe('classifyFailure', () => {
  it.each([
    [error('ENOTFOUND', 'getaddrinfo'), 'dns'],
    [error('EAI_AGAIN', 'getaddrinfo'), 'dns'],
    [error('ECONNREFUSED', 'connect'), 'connect'],
    [error('EHOSTUNREACH', 'connect'), 'connect'],
    [error('ENETUNREACH', 'connect'), 'connect'],
    [error('ETIMEDOUT', 'connect'), 'connect'],
    [error('UND_ERR_CONNECT_TIMEOUT'), 'connect'],
    [new AggregateError([error('ECONNREFUSED', 'connect'), error('ENETUNREACH', 'connect')], ''), 'connect'],
    [error('CERT_HAS_EXPIRED'), 'tls'],
    [error('SELF_SIGNED_CERT_IN_CHAIN'), 'tls'],
    [error('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls'],
    [error('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls'],
    [error('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    [
      error(
        'EPROTO',
        'write',
        'write EPROTO 00:error:0A00010B:SSL routines:ssl3_get_record:wrong version number',
      ),
      'tls',
    ],
    [
      error(
        'ECONNRESET',
        undefined,
        'Client network socket disconnected before secure TLS connection was established',
      ),
      'tls',
    ],
  ])('%s is proven to be before sending', (cause, phase) => {
    expect(classifyFailure(wrapped(cause))).toMatchObject({ sent: false, phase });
  });

  it.each([
    error('ECONNRESET', 'read'),
    error('EPIPE', 'write'),
    error('ETIMEDOUT', 'read'),
    error('EHOSTUNREACH', 'read'),
    error('UND_ERR_SOCKET', undefined, 'other side closed'),
    error('UND_ERR_HEADERS_TIMEOUT'),
    error('UND_ERR_BODY_TIMEOUT'),
    error('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
    error('HPE_INVALID_CONSTANT'),
    error('EPROTO', 'read', 'something else'),
    new TypeError('terminated'),
    new Error('who knows'),
    'a string',
    undefined,
  ])('%s counts as sent', (cause) => {
    expect(classifyFailure(wrapped(cause))).toMatchObject({ sent: true, phase: 'after_send' });
    expect(createOutcomeOfFailure(classifyFailure(wrapped(cause))).type).toBe('uncertain');
  });

  it('believes the connection’s record over any error code', () => {
    const late = wrapped(error('ECONNREFUSED', 'connect'));
    expect(classifyFailure(late, { connection: 'connected' }).sent).toBe(true);
    expect(classifyFailure(wrapped(error('ECONNRESET', 'read')), { connection: 'connecting' })).toMatchObject(
      { sent: false, phase: 'tls' },
    );
    expect(classifyFailure(wrapped(error('ECONNRESET', 'read')), { connection: 'connected' }).sent).toBe(
      true,
    );
  });

  it('a stop proves "not sent" only while the connection was being made', () => {
    for (const stopped of ['timeout', 'aborted'] as const) {
      expect(classifyFailure(wrapped(undefined), { stopped, connection: 'connecting' })).toMatchObject({
        sent: false,
        phase: 'connect',
      });
      expect(classifyFailure(wrapped(undefined), { stopped, connection: 'connected' }).sent).toBe(true);
      expect(classifyFailure(wrapped(undefined), { stopped, connection: 'idle' }).sent).toBe(true);
      expect(classifyFailure(wrapped(undefined), { stopped }).sent).toBe(true);
    }
  });

  it('survives errors that contain themselves', () => {
    const loop = error('X');
    loop.cause = loop;
    expect(classifyFailure(loop).sent).toBe(true);
  });
});

describe('errorClassOfStatus', () => {
  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [408, 'timeout'],
    [425, 'rate_limited'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [520, 'server_error'],
    [524, 'server_error'],
    [302, 'bad_body'],
    [400, 'bad_body'],
  ])('%s is %s', (status, errorClass) => {
    expect(errorClassOfStatus(status)).toBe(errorClass);
  });
});
