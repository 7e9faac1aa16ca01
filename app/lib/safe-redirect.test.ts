import { describe, expect, it } from 'vitest';
import { loginPath, nextPage, safeRedirect } from './safe-redirect.ts';

describe('safeRedirect', () => {
  it.each(['/workbench', '/workbench/tasks/1?x=1#out', '/credits?cursor=a%2Fb'])('keeps %s', (path) => {
    expect(safeRedirect(path)).toBe(path);
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/%0d/../..//evil.example',
    '/.//evil.example',
    '/workbench/..//evil.example',
    'javascript:alert(1)',
    'workbench',
    '',
    null,
    undefined,
    42,
  ])('refuses %j', (target) => {
    expect(safeRedirect(target)).toBe('/workbench');
  });
});

describe('loginPath', () => {
  it('leads back to the page, without what single fetch adds', () => {
    expect(loginPath('http://site.example/settings.data?_routes=routes%2Fsettings')).toBe(
      '/login?next=%2Fsettings',
    );
    expect(loginPath('http://site.example/admin/tasks?status=failed')).toBe(
      '/login?next=%2Fadmin%2Ftasks%3Fstatus%3Dfailed',
    );
    expect(loginPath('http://site.example/_root.data')).toBe('/login');
  });

  it('comes back through nextPage', () => {
    const path = loginPath('http://site.example/admin/tasks?status=failed');
    expect(nextPage(`http://site.example${path}`)).toBe('/admin/tasks?status=failed');
    expect(nextPage('http://site.example/login?next=//evil.example')).toBe('/workbench');
  });
});
