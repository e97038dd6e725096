import { formatsOf } from '../../../http/languages/formats.ts';
import type { VerificationTexts } from './en.ts';

const { count } = formatsOf('tr');

export const tr: VerificationTexts = {
  visit: {
    title: (server) => `${server} için doğrulama`,
    heading: 'Girmek için doğrulan',
    why: (server) => [server, ' yeni gelenlerin gerçek kişiler olduğunu bilmek istiyor.'],
    stepsWithRole: 'Bir dakika: giriş yaparsın, tarayıcın küçük bir görevi çözer, rolünü alırsın.',
    steps: 'Bir dakika: giriş yaparsın, tarayıcın küçük bir görevi çözer ve biter.',
    asked: 'Ne isteniyor',
    askedOfPlatform: 'Platformdaki adın, kimliğin ve resmin. Parolan ve mesajların asla istenmez.',
    askedGuilds: 'Bir kez de hangi sunucularda olduğun. Bu liste saklanmaz.',
    optional: 'İsteğe bağlı',
    recovery: 'Sunucu kaybedilirse sahibi beni geri getirebilsin',
    recoveryMeans:
      'Sunucu silinir ya da ele geçirilirse sahibi seni yeni sunucuya ekleyebilir. Bu iznini istediğin zaman geri alabilirsin.',
    submit: 'Beni doğrula',
    stored: 'Ne, ne kadar süre saklanıyor',
    storedOfYou:
      'Adın, kimliğin ve resmin, geldiğin ülke ve ağ; ikinci hesapları fark etmek için de 90 gün boyunca cihazının ve adresinin özetleri. Adresin kendisi saklanmaz.',
    storedForRecovery:
      'Yalnızca sahibinin seni geri getirmesine izin verirsen: platformun şifrelenmiş bir erişim belirteci. İznini geri alırsan silinir, doğrulaman geçerli kalır.',
    source: 'Ağ verileri: DB-IP',
  },
  stricter: {
    title: 'Denetimler şu anda daha sıkı,',
    because: 'çünkü bu sunucuya aynı anda çok fazla kişi geldi.',
    youngAccounts: (days) =>
      `${count(days, { one: '# günden', other: '# günden' })} yeni hesaplar şu anda doğrulanamaz.`,
    later: 'Giremezsen bugün daha sonra yeniden dene.',
  },
  standing: {
    verified: {
      title: 'Burada doğrulandın.',
      text: 'Yalnızca rolün eksikse ya da seçimini değiştirmek istersen yeniden doğrulan.',
    },
    held: {
      title: 'Sunucu sahibini bekliyorsun.',
      text: 'Aynı anda gelen herkese bakıyor.',
    },
    refused: { title: 'Son denemen reddedildi.', text: 'Yeniden deneyebilirsin.' },
    appealOpen: {
      title: 'Mesajın sunucu sahibinde.',
      text: 'Henüz karar vermedi.',
    },
    appealAccepted: {
      title: 'Sunucu sahibi girmene izin verdi.',
      text: 'Bir kez daha doğrulan, sonra içeridesin.',
    },
    appealRejected: {
      title: 'Sunucu sahibi itirazını reddetti.',
      text: 'Yine de yeniden deneyebilirsin.',
    },
    more: 'Ayrıntılar',
  },
  check: {
    title: (server) => `${server} için tarayıcın denetleniyor`,
    heading: 'Bir saniye',
    hello: (name) => ['Merhaba ', name, '.'],
    task: 'Tarayıcın küçük bir görevi çözüyor. Birkaç saniye sürer, sonra sayfa kendiliğinden devam eder.',
    scriptsOff: 'Betikler kapalı.',
    allowScript:
      'Bu denetim için bir betik gerekiyor: bu sayfada izin ver ve sayfayı yenile. Betik bu siteden gelir ve başka kimseyle iletişim kurmaz.',
    allowScripts: 'Bu denetim için gerekiyorlar: bu sayfada izin ver ve sayfayı yenile.',
    signedIn: 'Giriş yaptın. Sayfa kendiliğinden devam eder; etmezse düğmeye bas.',
    widget: 'İnsan olduğunu göster, sonra devam et.',
    continue: 'Devam et',
    trouble: 'Tarayıcın denetimi bitiremedi. Sayfayı yenile ya da başka bir tarayıcı dene.',
    tryAgain: 'Yeniden dene',
    lookAgain: 'Yeniden bak',
  },
  captcha: {
    title: 'Denetim olmadı',
    wrong: 'Görev doğru çözülmedi.',
    stale: 'Görev daha önce kullanılmış ya da çok uzun sürmüş.',
    missing: 'Görev çözülmedi. Betik gerekiyor: bu sayfada betiklere izin ver.',
    unreachable: 'Denetim şu anda yapılamıyor. Biraz bekle.',
  },
  noFingerprint: {
    title: 'Tarayıcın tanınamadı',
    message:
      'Bu sunucu, kimse ikinci kez girmesin diye cihazları karşılaştırır. Bu sayfada betiklere izin ver ve onları engelleyen eklentileri kapat. Yalnızca cihazının bir özeti 90 gün saklanır.',
  },
  held: {
    title: 'Sunucu sahibini bekle',
    message:
      'Çok sayıda kişiyle aynı anda geldin, bu yüzden sunucunun sahibi önce herkese bakıyor. Yanıtlarında bir sorun yok: bu sayfayı daha sonra yeniden aç.',
  },
  blocked: {
    BLACKLIST: {
      title: 'Giremezsin',
      message: 'Sunucunun sahibi bu hesabın girmesine izin vermiyor.',
    },
    FIREWALL: {
      title: 'Giremezsin',
      message:
        'Sunucunun sahibi kimlerin girebileceğine dair kurallar koymuş ve bunlardan biri hesabına ya da bağlantına uyuyor.',
    },
    VPN: {
      title: 'Bağlantın VPN gibi görünüyor',
      message:
        'Bu sunucu VPN ve barındırma ağları üzerinden kimseyi almıyor. VPN’i kapat ya da mobil veri gibi başka bir bağlantı kullan ve yeniden dene.',
    },
    ALT: {
      title: 'Zaten burada gibisin',
      message:
        'Cihazından ya da bağlantından başka bir hesap doğrulanmış. Aynı evi paylaşanlarda bu bir yanlışlık olabilir: öyleyse aşağıdan sunucu sahibine yaz.',
    },
    ACCOUNT_AGE: {
      title: 'Hesabın çok yeni',
      message:
        'Bu sunucu hesapları ancak belli bir yaştan sonra alıyor. Daha sonra yeniden dene ya da sunucu sahibine sana neden güvenebileceğini yaz.',
    },
    CAPTCHA: {
      title: 'Denetim olmadı',
      message: 'Tarayıcın görevini çözmedi. Yeniden dene.',
    },
  },
  appeal: {
    heading: 'Bir yanlışlık mı var?',
    label: 'Sunucu sahibine neden girmen gerektiğini yaz:',
    hint: (most) =>
      `En çok ${count(most, { one: '# karakter', other: '# karakter' })}. Adını ve kimliğini de görür.`,
    invalid: (most) =>
      `Lütfen 1 ile ${count(most, { one: '# karakter', other: '# karakter' })} arasında yaz.`,
    submit: 'Sunucu sahibine gönder',
    open: {
      title: 'Sunucu sahibi bekleniyor',
      sent: 'Mesajın sunucu sahibinde.',
      text: 'Henüz karar vermedi. Bu sayfayı daha sonra yeniden aç: kararını burada görürsün.',
    },
    accepted: {
      title: 'Sunucu sahibi girmene izin verdi',
      text: 'İtirazın kabul edildi. Bir kez daha doğrulan, sonra içeridesin.',
      verify: 'Bir kez daha doğrulan',
    },
    rejected: {
      title: 'Sunucu sahibi itirazını reddetti',
      text: 'Mesajını okudu ve bu hesabın girmesine izin vermiyor.',
      again: 'Sunucu sahibine yeniden yaz',
    },
  },
  done: {
    title: (server) => `${server} için doğrulandın`,
    heading: 'Doğrulandın',
    roleComing: 'Rolün yolda. Bu sayfa kendiliğinden yeniden bakar.',
    allDone: 'Hepsi tamam. Bu sayfayı kapatıp sunucuya dönebilirsin.',
    recoveryYes: 'İzin verdiğin gibi, sunucu kaybedilirse sahibi seni geri getirebilir.',
    recoveryNo:
      'Sunucu kaybedilirse geri getirilmene izin vermedin. Bunu değiştirmek için yeniden doğrulan.',
    verifyAgain: 'Yeniden doğrulan',
  },
  role: {
    platformSilent:
      'Platform şu anda yanıt vermiyor. Yanıt verir vermez rolün gelir: bu sayfayı kapatabilirsin.',
    notInServer: 'Henüz sunucuda değilsin. Katıl, sonra rolünü almak için bir kez daha doğrulan.',
    missingPermission:
      'Sunucunun botu sana rolü veremiyor. Sunucu sahibine söyle: botun rolleri yönetme yetkisi olmalı ve bu rolün üstünde durmalı.',
    roleGone: 'Alman gereken rol artık yok. Sunucunun sahibine söyle.',
    roleWithheld:
      'Alman gereken rol, onaylanandan daha fazla yetki veriyor. Sunucunun sahibi bunu çözünce rolü alacaksın.',
    failed:
      'Sunucunun botu sana rolü veremedi. Sunucunun sahibine söyle; doğrulaman yine de geçerli.',
  },
  errors: {
    stateInvalid: {
      title: 'Baştan başla',
      message:
        'Bu adım daha önce kullanılmış, çok uzun sürmüş ya da başka bir tarayıcıda başlamış. Daha önce doğrulandıysan hâlâ geçerli. Tekrar olursa bu sayfada çerezlere izin ver.',
    },
    declined: {
      title: 'İzin vermedin',
      message: 'Hiçbir şey saklanmadı. İstediğin zaman baştan başlayabilirsin.',
    },
    signInRefused: {
      title: 'Baştan başla',
      message: 'Platform bu girişi kabul etmedi. Hiçbir şey saklanmadı.',
    },
    scopeWithheld: {
      title: 'Bir izin eksik',
      message:
        'Bu sunucu, platformun sana gösterdiği her şeyi istiyor ve bir kısmı adresten çıkarılmış. Hiçbir şey saklanmadı. Baştan başla ve adresi olduğu gibi bırak.',
    },
    scopesChanged: {
      title: 'Baştan başla',
      message:
        'Sunucu artık başladığın zamankinden bir şey daha istiyor. Hiçbir şey saklanmadı; kısa sürer.',
    },
    platformUnreachable: {
      title: 'Platform yanıt vermiyor',
      message: 'Hiçbir şey saklanmadı. Biraz bekle, sonra baştan başla.',
    },
    botUnusable: {
      title: 'Doğrulama şimdilik kapalı',
      message:
        'Sunucunun botu şu anda kullanılamıyor. Sunucunun sahibi bunu düzeltebilir: ona haber ver.',
    },
    startAgain: 'Baştan başla',
    openLink: 'En baştan başlamak için sunucunun doğrulama bağlantısını yeniden aç.',
  },
  tooManyAttempts: {
    title: 'Çok fazla deneme',
    message:
      'Adresinden çok sık deneme yapıldı. Hiçbir şey saklanmadı. Bir dakika bekle, sonra sunucunun doğrulama bağlantısını yeniden aç.',
  },
  noServer: {
    title: 'Burada böyle bir sunucu yok',
    message: 'Bağlantı yanlış yazılmış ya da eski olabilir. Sunucunun sahibinden yenisini iste.',
  },
};
