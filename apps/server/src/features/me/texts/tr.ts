import { formatsOf } from '../../../http/languages/formats.ts';
import type { MeTexts } from './en.ts';

const { count } = formatsOf('tr');

export const tr: MeTexts = {
  title: 'Verilerin',
  signIn: {
    what: 'Platformla giriş yap ve hakkında bir şey saklayan bütün sunucuları gör. Verdiğin izni geri alabilir, hepsini dışa aktarabilir ya da sildirebilirsin.',
    only: 'Platforma yalnızca kim olduğunu sorarız ve hiçbir erişim belirteci saklamayız.',
    kept: {
      label: 'Saklanan',
      text: 'Doğrulandığın sunucular doğrulandığını, adını, kimliğini ve resmini, geldiğin ülkeyi ve ağı saklar. İkinci hesapları fark etmek için 90 gün boyunca cihazının ve adresinin özetlerini de saklar.',
    },
    agreed: {
      label: 'Yalnızca izin verirsen',
      text: 'Sahibinin seni geri getirmesine izin verirsen platformun bir erişim belirteci şifrelenmiş olarak saklanır. İznini geri alırsan silinir, doğrulaman geçerli kalır.',
    },
    never: {
      label: 'Asla',
      text: 'Hiçbir sunucu parolanı, e-posta adresini ya da IP adresinin kendisini saklamaz.',
    },
    button: 'Platformla giriş yap',
  },
  signedInAs: (name, username, platformId) => [
    ...['Giriş yapan hesap: ', name, ' (', username, '), platform kimliği ', platformId, '.'],
  ],
  sessions: (sessions) => `${count(sessions, { one: '# oturumun', other: '# oturumun' })} var.`,
  nothing: 'Hiçbir sunucu hakkında bir şey saklamıyor.',
  ownersLists:
    'Bir sahibin insanları aldığı ya da dışarıda tuttuğu listeler, yasaklar dahil, sahibine aittir ve burada gösterilmez.',
  exportJson: 'JSON olarak dışa aktar',
  signOut: 'Çıkış yap',
  yes: 'evet',
  no: 'hayır',
  kept: 'saklanıyor',
  notKept: 'saklanmıyor',
  membership: {
    verified: 'Doğrulandı',
    left: 'Ayrıldığı görüldü',
    name: 'Kayıtlı ad',
    recovery: 'Sahibi seni geri getirebilir mi?',
    agreed: (at) => `evet, izin tarihi ${at}`,
    roles: 'Bunun için roller ve takma ad',
    rolesKept: 'son görüldüğü gibi saklanıyor',
    rolesInBackups: 'yalnızca yedeklerde',
    token: 'Bunun için belirteç',
    tokenKept: 'şifreli olarak saklanıyor',
    tokenNone: 'yok',
    place: 'Ülke ve bölge',
    network: 'Ağ',
    vpn: 'VPN sayıldı',
    alt: 'İkinci hesap sayıldı',
    device: 'Cihazının özeti',
    created: 'Platformda hesabın açılışı',
  },
  hashes: {
    label: 'Cihaz ve adres',
    none: 'özet saklanmıyor',
    device: (until) => `cihazının özetleri, ${until} tarihine kadar saklanıyor`,
    address: (until) => `adresinin özetleri, ${until} tarihine kadar saklanıyor`,
    both: (until) => `adresinin ve cihazının özetleri, ${until} tarihine kadar saklanıyor`,
  },
  attempt: {
    label: 'Doğrulama denemesi',
    verified: 'doğrulandı',
    blocked: 'reddedildi',
    unfinished: 'bitmedi',
    forgotten: (outcome, at) => `${outcome}, unutulacağı tarih ${at}`,
  },
  join: {
    label: (at) => `Katılım: ${at}`,
    held: 'bir baskın sırasında: sahibi senin hakkında karar vermeli',
    noticed: 'baskınları fark etmek için bir süre saklanıyor',
  },
  incident: {
    label: (at) => `Olay: ${at}`,
    attack: 'yaptıkların saldırı sayılıyor',
    stopped: 'yaptıkların saldırı sayılıyor ve bazı rollerin alınmış olabilir',
  },
  acts: {
    label: 'Sunucuda yapılanlar',
    entries: (entries) =>
      count(entries, { one: '# denetim günlüğü kaydı', other: '# denetim günlüğü kaydı' }),
  },
  appeal: {
    label: (at) => `İtiraz: ${at}`,
    OPEN: 'açık',
    ACCEPTED: 'kabul edildi',
    REJECTED: 'reddedildi',
  },
  recall: {
    invited: (server) => [
      ...['Sahibi seni yeniden davet ediyor: ', server],
      '. Geri getirilme iznin artık geçerli değil, bu yüzden kendin katılırsın.',
    ],
    open: 'Daveti aç',
    until: (at) => `Yalnızca davet edilenler kullanabilir, son tarih ${at}.`,
  },
  withdraw: {
    button: 'Beni geri getirme',
    label: (server) => `Beni geri getirme: ${server}`,
    stays: 'Doğrulaman geçerli kalır.',
  },
  backups: {
    heading: 'Yedeklerde',
    intro: 'Sahipler sunucularını yedekler. Bu yedeklerde seninle ilgili bir şey var:',
    ROLES_AND_NICKNAME: 'rollerin ve takma adın',
    MESSAGES: 'yazdığın ya da senden söz eden mesajlar',
    CHANNELS: 'kanallardaki izinler ya da bahsetmeler',
    TEXTS: 'açıklamalardaki bahsetmeler',
    within: (kind, backups) =>
      `${kind}, ${count(backups, { one: 'bir yedekte', other: '# yedekte' })}`,
    saved: (at) => `kaydedildi: ${at}`,
    savedBetween: (from, to) => `${from} ile ${to} arasında kaydedildi`,
  },
  erase: {
    heading: 'Her şeyi sil',
    what: 'Bütün sunucular seni hemen unutur: doğrulandığını, verdiğin izinleri, belirteçlerini, itirazlarını ve oturumlarını. Yedekler seni hemen gizler, böylece hiçbir geri yükleme rollerini, takma adını ya da mesajlarını geri getirmez; 24 saat içinde saklanan yedeklerden de çıkarılırsın.',
    stays:
      'Kalanlar: platformdaki rollerin (bir sunucudan ayrılmak için oradan ayrıl) ve sahiplerin kendi tuttuğu yasaklar, kapalı kanallar ve kurallar gibi listelerde ve denetim günlüklerinde yalnızca platform kimliğin. Yeniden doğrulanırsan sonraki yedeklerde yine yer alabilirsin.',
    word: 'SİL',
    label: (word) => `Onaylamak için ${word} yaz`,
    unconfirmed: (word) => `Hiçbir şey silinmedi: yazılan sözcük ${word} değildi.`,
    submit: 'Hakkımdaki her şeyi sil',
  },
  erased: {
    title: 'Her şey silindi',
    heading: 'Hakkındaki her şey silindi',
    text: 'Holdfast kullanan hiçbir sunucu artık hakkında bir şey göstermiyor ve belirteçlerin platforma geri veriliyor. Hiçbir yedek seni geri getirmez; 24 saat içinde saklanan yedeklerden de çıkarılırsın. Oturumun kapatıldı.',
    owners:
      'Sahiplerin kendi listelerinde, yasaklar dahil, platform kimliğin bulunabilir ve günlükleri bunu senin istediğini söyler.',
  },
};
