import { describe, expect, it } from 'vitest';
import { isHttpPort, isPublicAddress, isPublicHost } from './address-rules.ts';

/** First and last address of every block that IANA keeps from the public Internet, and their public neighbours. */
describe('B62: addresses', () => {
  it.each<[string, string, string]>([
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['private', '10.0.0.0', '10.255.255.255'],
    ['carrier NAT', '100.64.0.0', '100.127.255.255'],
    ['loopback', '127.0.0.0', '127.255.255.255'],
    ['link-local', '169.254.0.0', '169.254.255.255'],
    ['private', '172.16.0.0', '172.31.255.255'],
    ['protocol assignments', '192.0.0.0', '192.0.0.255'],
    ['documentation', '192.0.2.0', '192.0.2.255'],
    ['6to4 relay', '192.88.99.0', '192.88.99.255'],
    ['private', '192.168.0.0', '192.168.255.255'],
    ['benchmarking', '198.18.0.0', '198.19.255.255'],
    ['documentation', '198.51.100.0', '198.51.100.255'],
    ['documentation', '203.0.113.0', '203.0.113.255'],
    ['multicast', '224.0.0.0', '239.255.255.255'],
    ['reserved and broadcast', '240.0.0.0', '255.255.255.255'],
    ['unspecified and loopback', '::', '::1'],
    ['compatible', '::10.0.0.1', '::ffff:ffff'],
    ['mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
    ['translated', '::ffff:0:0', '::ffff:0:ffff:ffff'],
    ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
    ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
    ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
    ['ORCHID', '2001:10::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ISATAP', '2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:7f00:1'],
  ])('%s: %s to %s is not public', (_name, first, last) => {
    expect([first, last].filter(isPublicAddress)).toEqual([]);
    expect(isPublicAddress(first.toUpperCase())).toBe(false);
  });

  it.each([
    '1.0.0.0',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00:1450:4001:82b::200e',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['AWS, Google, Azure, DigitalOcean', '169.254.169.254'],
    ['AWS containers', '169.254.170.2'],
    ['AWS over IPv6', 'fd00:ec2::254'],
    ['Google over IPv6', 'fd20:ce::254'],
    ['Azure', '168.63.129.16'],
    ['Alibaba', '100.100.100.200'],
    ['Oracle', '192.0.0.192'],
    ['Tencent', '169.254.0.23'],
  ])('metadata of %s: %s', (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    '2606:4700::1111%25eth0',
    '8.8.8.8%1',
    '010.0.0.1',
    '0x08080808',
    '134744072',
    '8.8.2056',
    '08.8.8.8',
    '',
    '8.8.8',
    '8.8.8.8.8',
  ])('%j is no form in which a resolver answers', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('B62: names and ports', () => {
  it.each([
    'localhost',
    'LocalHost',
    'localhost.',
    'localhost..',
    'a.localhost',
    'localhost.localdomain',
    'printer.local',
    'nas.lan',
    'router.home',
    'box.home.arpa',
    'sso.corp',
    'wiki.intranet',
    'db.private',
    'metadata',
    'metadata.google.internal',
    'metadata.google.internal.',
    'metadata.azure.internal',
    'instance-data',
    'instance-data.ec2.internal',
    'metadata.goog',
    'a.metadata.goog',
    'metadata.tencentyun.com',
    'kubernetes',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'host.docker.internal',
    'postgres',
    'a..b.com',
    '.example.com',
    'example.com..',
    '.',
    '',
    '127.0.0.1..',
    '1.2.3',
  ])('%j is not public', (host) => {
    expect(isPublicHost(host)).toBe(false);
  });

  it.each([
    'api.openai.com',
    'api.openai.com.',
    'xn--bcher-kva.example',
    'local.example',
    'my-lan.net',
    'goog.io',
  ])('%s may be public', (host) => {
    expect(isPublicHost(host)).toBe(true);
  });

  it('refuses ports of other protocols only', () => {
    for (const port of ['22', '25', '53', '110', '143', '465', '587', '2049', '5060', '6000', '6667', '0']) {
      expect(isHttpPort(port), port).toBe(false);
    }
    for (const port of ['', '80', '81', '443', '3000', '5000', '8000', '8080', '8443', '65535']) {
      expect(isHttpPort(port), port).toBe(true);
    }
  });
});
