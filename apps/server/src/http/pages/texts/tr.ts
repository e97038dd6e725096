import type { PageTexts } from './en.ts';

export const tr: PageTexts = {
  language: 'Dil',
  poweredBy: (holdfast) => ['Altyapı: ', holdfast],
  yourData: 'Verilerin',
  notFound: {
    title: 'Burada bir sayfa yok',
    message: 'Adres yanlış yazılmış olabilir ya da sayfa taşınmış veya silinmiş olabilir.',
  },
  tooMany: { title: 'Çok fazla istek', message: 'Bir dakika bekle, sonra yeniden dene.' },
  failed: {
    title: 'Bizim tarafımızda bir sorun oluştu',
    message: 'Biraz sonra yeniden dene. Hata kaydedildi.',
  },
  unavailable: { title: 'Şu anda kullanılamıyor', message: 'Biraz sonra yeniden dene.' },
  refused: {
    title: 'Bu işe yaramadı',
    message: 'İstek reddedildi. Geri dön, sayfayı yenile ve tekrar dene.',
  },
  requestId: 'Tekrar olursa işletmeciye bu istek kimliğini bildir:',
  startPage: 'Ana sayfa',
  guides: 'Kılavuzlar',
  newLink: 'Bir doğrulama düğmesinden mi geldin? Sunucunun sahibinden yeni bir bağlantı iste.',
};
