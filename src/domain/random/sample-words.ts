// Words for sample answers: names, places, employers and sentences. People are fictitious; places are real, so that codes match.

const listed = (words: string): readonly string[] => words.trim().split(/,\s+/)

/** Given names, many with letters beyond ASCII, because those are what software breaks on. */
export const givenNames = listed(`
  Amina, Ángel, Beatriz, Björn, Chiara, Daniel, Đức, Elif, Fatima, Grace, Hoàng, Ifeoma, Inés, Jamal, José,
  Karolína, Keisha, Kwame, Leilani, Łukasz, Lupe, Maria, Mei, Miguel, Nadia, Noor, Oksana, Olga, Priya, Quincy,
  René, Rosa, Ruth, Samuel, Siobhán, Søren, Tomás, Thu Hà, Ursula, Walter, Xóchitl, Yusuf, Zoë, Олена, محمد, 小龍,
  ሰላም, 지우`)

export const familyNames = listed(`
  Abdi, Almeida, Andersen, Baker, Bäumer, Castañeda, Chen, Cruz, Dvořák, Estrada, Fernández, García, Gonçalves,
  Hernández, Hussein, Ibrahim, Jackson, Kealoha, Kowalczyk, Lee, López, Mbeki, Müller, Muñoz, Nguyễn, Núñez,
  O’Brien, O'Connor, Okafor, Patel, Peña, Pérez-Ruiz, Quintero, Robinson, Šimić, Smith, Tesfaye, Trần, Vaʻa,
  van der Berg, Washington, Williams, Yılmaz, Zhang, Шевченко, الحسن, 李, 김`)

/** City, state, the first three digits of its ZIP codes, latitude and longitude. */
export const cities = [
  ['Seattle', 'WA', '981', 47.6062, -122.3321],
  ['Cañon City', 'CO', '812', 38.4411, -105.2424],
  ['Española', 'NM', '875', 35.9911, -106.0806],
  ['Portland', 'OR', '972', 45.5152, -122.6784],
  ['San José', 'CA', '951', 37.3382, -121.8863],
  ['Phoenix', 'AZ', '850', 33.4484, -112.074],
  ['Bloomington', 'IN', '474', 39.1653, -86.5264],
  ['Charlotte', 'NC', '282', 35.2271, -80.8431],
  ['San Juan', 'PR', '009', 18.4655, -66.1057],
  ['Honolulu', 'HI', '968', 21.3069, -157.8583],
  ['Coeur d’Alene', 'ID', '838', 47.6777, -116.7805],
  ['Washington', 'DC', '200', 38.9072, -77.0369],
  ['Hagåtña', 'GU', '969', 13.4745, 144.7504],
  ['Saint Paul', 'MN', '551', 44.9537, -93.09],
  ['New Orleans', 'LA', '701', 29.9511, -90.0715],
  ['Anchorage', 'AK', '995', 61.2181, -149.9003],
] as const

export const streets = listed(`
  Alder St, Avenida de la Esperanza, Beacon Ave S, Calle Niño Perdido, Cedar Ln, Elm St, Grand Blvd, Hickory Ct,
  Kamehameha Hwy, Lake Shore Dr, Main St, Martin Luther King Jr Way, Oak St, Paseo del Río, Pike St,
  Ponce de León Ave, Rainier Ave S, Rue Bienville, Sunset Blvd, Union St`)

export const secondLines = listed('Apt 4B, Unit 12, # 3, Floor 2, c/o Nguyễn, Lot 17, Rear house, PO Box 118')

export const organizations = listed(`
  Northwest Family Services, Casa Latina, Harbor Community Clinic, Crèche & Co., Elm Street Bakery,
  Ñandú Cleaning LLC, Riverside School District, Green Leaf Landscaping, Smith & Sons "Movers", Public Library,
  St. Jude’s Shelter, Café Zürich`)

/** Existing area codes. Followed by 555-01xx, they form numbers that are never assigned. */
export const areaCodes = ['206', '312', '404', '505', '602', '704', '808', '907'] as const

export const fileNames = listed('pay-stub.pdf, lease.pdf, utility-bill.jpg, identification.png, award-letter.pdf')

/** Whole sentences with characters that are easily mangled: quotes, backslashes, line breaks, other scripts, emoji. */
export const sentences = [
  'My hours were cut in March and I have not been able to catch up since.',
  'We share the apartment with my sister’s family; the lease is in her name.',
  'The heater is electric, so the bill is highest from November to February.',
  'I asked the landlord twice and heard "next month" both times.',
  'Please call in the afternoon, I work nights.',
  'Mi esposo está buscando trabajo; yo limpio casas los fines de semana.',
  'Tôi cần người phiên dịch tiếng Việt.',
  'Child care costs more than I would earn from another shift.',
  'The shut-off notice came on Friday.\nWe have paid half of it.',
  'One of the children has asthma and needs the air cleaner to run all night.',
  'Rent went up by 15% this year, from $1,200 to $1,380.',
  'I am a student and work part-time on campus.',
  'Documents are at C:\\Users\\me\\Documents, I will upload the rest later 🙂.',
  'Nothing has changed since my last application.',
  'У меня нет банковского счёта.',
  'My mother moved in after her surgery and I take care of her.',
] as const
